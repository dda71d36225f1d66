import type { BotReplyFailed, ChatErased, ConversationEvent } from '../../../contracts/events/index.ts'
import type { History, HistoryMessage } from '../../../contracts/http.ts'
import type { Id, Instant } from '../../../contracts/primitives.ts'
import type { TimelineDocument } from '../../../contracts/views/timeline.ts'
import { agentEnds } from './conversation.ts'
import { factOf } from './conversation-facts.ts'
import { asPart } from './identity.ts'

/** An answer has no more messages. */
export const mostHistoryMessages = 100

/** The messages of chats, for bots. Each function throws if MongoDB does not answer in time. */
export type ChatHistory = {
  /** Whether the views have an event of the chat, by its ce_id. */
  readonly has: (chat: ChatName, eventId: string) => Promise<boolean>
  /** The newest messages, at most `last`. Undefined if the views have nothing of the chat, or if it was erased. */
  readonly read: (chat: ChatName, last: number) => Promise<History | undefined>
}

export type ChatName = { readonly accountId: string; readonly chatId: string }

/** The beginning of the `_id` of each entry of the chat in `timeline`. */
export const prefixOf = ({ accountId, chatId }: ChatName): string => `${accountId}/${asPart(chatId)}/`

/** The event's identity in the `_id` of an entry, which is account, chat, source and ce_id. A fact has it as its id. */
const identityIn = (chat: ChatName, _id: string) => _id.slice(prefixOf(chat).length)

/** The ce_id in the `_id` of an entry. */
export const eventIdOf = (chat: ChatName, _id: string): string => identityIn(chat, _id).replace(/^[^/]*\//, '')

const instant = (time: Date) => time.toISOString() as Instant

/** An entry of the timeline in which somebody said something, or in which an agent joined. */
export type Said = Pick<TimelineDocument, 'type' | 'time'> & {
  readonly _id: string
  readonly text?: string
  readonly messageType?: string
}

export type StepType = (ConversationEvent | ChatErased)['type']

/** What a fact needs of an entry. The data of a large entry is in the log only. */
export type Step = Pick<TimelineDocument, 'time' | 'late'> & {
  readonly _id: string
  readonly type: StepType
  readonly data?: Partial<
    Pick<BotReplyFailed['data'], 'clientId' | 'reason' | 'commandType' | 'because' | 'expectsMore'>
  > & {
    readonly attempts?: ReadonlyArray<{ readonly at: Date }>
  }
}

const factIn = (chat: ChatName, { _id, type, time, late, data }: Step) => {
  const id = eventIdOf(chat, _id) as Id
  const [source = ''] = identityIn(chat, _id).split('/', 1)
  // Each type of event reads only what its data has.
  const event = {
    type,
    id,
    source,
    time,
    ...(late && { receivedTime: time }),
    data: { commandId: id, commandType: '', requestedAt: time, attempts: [], ...data },
  }
  return factOf(event)
}

/** More are not read. Then the last end is unknown if nothing but silence ended the agent's part. */
export const maxSteps = 10_000

const endsIn = (chat: ChatName, steps: ReadonlyArray<Step>, now: Date): ReadonlyMap<string, Date> => {
  const last = steps.at(-1)?.time
  const until = steps.length < maxSteps || last === undefined ? now : last
  return agentEnds(
    steps.flatMap((step) => factIn(chat, step) ?? []),
    until,
  )
}

const messageOf = (chat: ChatName, { _id, type, time, text = '', messageType }: Said): HistoryMessage => {
  const known = { id: eventIdOf(chat, _id), at: instant(time) }
  if (type === 'AgentJoined') return { ...known, from: 'agent', type: 'AGENT_JOINED', text: '' }
  const from = type === 'ClientMessageReceived' ? 'client' : 'bot'
  return { ...known, from, type: messageType ?? 'TEXT', text }
}

/**
 * What was said, oldest first, and until when each agent had the chat. `steps` are the events that decide that, from the
 * newest one on that precedes the first agent of `said`, oldest first.
 */
export const messagesOf = (
  chat: ChatName,
  said: ReadonlyArray<Said>,
  steps: ReadonlyArray<Step>,
  now: Date,
): ReadonlyArray<HistoryMessage> => {
  const ends = endsIn(chat, steps, now)
  return said.map((entry) => {
    const end = ends.get(identityIn(chat, entry._id))
    return { ...messageOf(chat, entry), ...(end && { until: instant(end) }) }
  })
}
