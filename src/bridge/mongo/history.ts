import type { Db } from 'mongodb'
import type { BotReplyFailed, ChatErased, ConversationEvent } from '../../../contracts/events/index.ts'
import type { HistoryMessage } from '../../../contracts/http.ts'
import type { Id, Instant } from '../../../contracts/primitives.ts'
import { chatSources } from '../../../contracts/source.ts'
import type { TimelineDocument } from '../../../contracts/views/timeline.ts'
import type { ChatHistory, ChatName } from '../domain/chat-history.ts'
import type { Now } from '../domain/clock.ts'
import { agentEnds } from '../domain/conversation.ts'
import { type Fact, factOf } from '../domain/conversation-facts.ts'
import { asPart } from '../domain/identity.ts'
import { entriesView } from '../views/index.ts'
import { conversationTypes } from '../views/view.ts'
import { rejectAfter } from './client.ts'

const queryMs = 2_000
/** A model does not read more of one message, and an answer must stay small. */
const maxCharacters = 16_384

type Entry = Pick<TimelineDocument, 'type' | 'time'> & {
  readonly _id: string
  readonly text?: string
  readonly messageType?: string
}

const prefixOf = ({ accountId, chatId }: ChatName) => `${accountId}/${asPart(chatId)}/`

/** The event's identity in the `_id` of an entry, which is account, chat, source and ce_id. A fact has it as its id. */
const identityIn = (chat: ChatName, _id: string) => _id.slice(prefixOf(chat).length)

/** The ce_id in the `_id` of an entry. */
const eventIdOf = (chat: ChatName, _id: string) => identityIn(chat, _id).replace(/^[^/]*\//, '')

const instant = (time: Date) => time.toISOString() as Instant

/** The type of a message and its text, if they are text, without the rest of the event. */
const projection = {
  type: 1,
  time: 1,
  messageType: '$data.message.type',
  text: {
    $cond: [
      { $eq: [{ $type: '$data.message.text' }, 'string'] },
      { $substrCP: ['$data.message.text', 0, maxCharacters] },
      '',
    ],
  },
}
const isSaid = {
  erased: { $ne: true },
  $or: [
    { type: 'ClientMessageReceived' },
    { type: 'BotReplyDelivered', 'data.commandType': 'BotMessage' },
    { type: 'AgentJoined' },
  ],
}

const messageOf = (chat: ChatName, { _id, type, time, text = '', messageType }: Entry): HistoryMessage => {
  const known = { id: eventIdOf(chat, _id), at: instant(time) }
  if (type === 'AgentJoined') return { ...known, from: 'agent', type: 'AGENT_JOINED', text: '' }
  const from = type === 'ClientMessageReceived' ? 'client' : 'bot'
  return { ...known, from, type: messageType ?? 'TEXT', text }
}

type StepType = (ConversationEvent | ChatErased)['type']
/** What a fact needs of an entry. The data of a large entry is in the log only. */
type Step = Pick<TimelineDocument, 'time' | 'late'> & {
  readonly _id: string
  readonly type: StepType
  readonly data?: Partial<
    Pick<BotReplyFailed['data'], 'clientId' | 'reason' | 'commandType' | 'because' | 'expectsMore'>
  > & {
    readonly attempts?: ReadonlyArray<{ readonly at: Date }>
  }
}
const stepProjection = {
  type: 1,
  time: 1,
  late: 1,
  'data.clientId': 1,
  'data.reason': 1,
  'data.commandType': 1,
  'data.because': 1,
  'data.expectsMore': 1,
  'data.attempts.at': 1,
}

const factIn = (chat: ChatName, { _id, type, time, late, data }: Step): Fact | undefined => {
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

/** The events that decide how long an agent has a chat. */
const stepTypes = [...conversationTypes, 'ChatErased'] as const satisfies ReadonlyArray<StepType>
/** More are not read. Then the last end is unknown if nothing but silence ended the agent's part. */
const maxSteps = 10_000

const endsIn = (chat: ChatName, steps: ReadonlyArray<Step>, now: Date): ReadonlyMap<string, Date> => {
  const last = steps.at(-1)?.time
  const until = steps.length < maxSteps || last === undefined ? now : last
  return agentEnds(
    steps.flatMap((step) => factIn(chat, step) ?? []),
    until,
  )
}

/** Reads what was said from the timeline. Erased entries have no words any more, so they are left out. */
export const chatHistoryIn = (db: Db, now: Now): ChatHistory => {
  const timeline = db.collection<Entry>(entriesView)
  const options = { maxTimeMS: queryMs }
  return {
    has: async (chat, eventId) => {
      const ids = chatSources.map((source) => `${prefixOf(chat)}${source}/${eventId}`)
      const found = await rejectAfter(
        queryMs,
        timeline.findOne({ _id: { $in: ids } }, { ...options, projection: { _id: 1 } }),
      )
      return found !== null
    },
    read: async (chat, last) => {
      const { accountId, chatId } = chat
      const ofChat = { accountId, chatId }
      const newestFirst = { time: -1, offset: -1 } as const
      const newest = await rejectAfter(
        queryMs,
        timeline.findOne(
          { ...ofChat, erased: { $ne: true }, type: { $ne: 'ChatErased' } },
          { ...options, sort: newestFirst, projection: { _id: 1 } },
        ),
      )
      if (newest === null) return undefined
      const entries = await rejectAfter(
        queryMs,
        timeline.find({ ...ofChat, ...isSaid }, { ...options, sort: newestFirst, limit: last, projection }).toArray(),
      )
      const oldestFirst = entries.toReversed()
      const upTo = eventIdOf(chat, newest._id)
      const firstJoin = oldestFirst.find(({ type }) => type === 'AgentJoined')
      if (firstJoin === undefined) return { messages: oldestFirst.map((entry) => messageOf(chat, entry)), upTo }
      // Whether the chat was closed when the agent joined.
      const before = await rejectAfter(
        queryMs,
        timeline.findOne(
          {
            ...ofChat,
            type: { $in: ['ClientMessageReceived', 'ChatClosed'] },
            time: { $lt: firstJoin.time },
            late: { $ne: true },
          },
          { ...options, sort: newestFirst, projection: { time: 1 } },
        ),
      )
      const steps = await rejectAfter(
        queryMs,
        timeline
          .find<Step>(
            { ...ofChat, type: { $in: stepTypes }, time: { $gte: before?.time ?? firstJoin.time } },
            { ...options, sort: { time: 1, offset: 1 }, limit: maxSteps, projection: stepProjection },
          )
          .toArray(),
      )
      const ends = endsIn(chat, steps, new Date(now()))
      const messages = oldestFirst.map((entry): HistoryMessage => {
        const end = ends.get(identityIn(chat, entry._id))
        return { ...messageOf(chat, entry), ...(end && { until: instant(end) }) }
      })
      return { messages, upTo }
    },
  }
}
