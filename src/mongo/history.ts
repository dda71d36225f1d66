import type { Db } from 'mongodb'
import type { ChatErased, ConversationEvent } from '../../contracts/events/index.ts'
import type { HistoryMessage } from '../../contracts/http.ts'
import type { Id, Instant } from '../../contracts/primitives.ts'
import { chatSources } from '../../contracts/source.ts'
import type { TimelineDocument } from '../../contracts/views/timeline.ts'
import { agentEnds } from '../domain/conversation.ts'
import type { Fact, Finished } from '../domain/conversation-facts.ts'
import { asPart } from '../domain/identity.ts'
import type { ChatHistory, ChatName, Now } from '../domain/ports.ts'
import { entriesView } from '../views/index.ts'
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

/** The ce_id in the `_id` of an entry, which is account, chat, source and ce_id. */
const eventIdOf = (chat: ChatName, _id: string) => _id.slice(prefixOf(chat).length).replace(/^[^/]*\//, '')

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

type Step = Pick<TimelineDocument, 'type' | 'time'> & { readonly _id: string; readonly commandType?: string }

type ToFact = (step: Step) => Fact

const plain =
  (kind: 'invited' | 'joined' | 'closed' | 'erased'): ToFact =>
  ({ _id, time }) => ({ id: _id, at: time, kind })
const named =
  (kind: 'client-message' | 'unavailable'): ToFact =>
  ({ _id, time }) => ({ id: _id, at: time, kind, eventId: _id as Id })
const finished =
  (outcome: Finished['outcome']): ToFact =>
  ({ _id, time, commandType = '' }) => ({
    id: _id,
    at: time,
    kind: 'finished',
    eventId: _id as Id,
    commandId: _id,
    commandType,
    outcome,
    requestedAt: time,
  })

/** The entries that decide how long an agent has a chat, as facts of its conversation. */
const facts: Readonly<Record<string, ToFact>> = {
  ClientMessageReceived: named('client-message'),
  AgentInvited: plain('invited'),
  AgentJoined: plain('joined'),
  AgentUnavailable: named('unavailable'),
  ChatClosed: plain('closed'),
  ChatErased: plain('erased'),
  BotReplyDelivered: finished('delivered'),
  BotReplyFailed: finished('failed'),
  BotReplySuppressed: finished('suppressed'),
} satisfies Readonly<Record<(ConversationEvent | ChatErased)['type'], ToFact>>
const factTypes = Object.keys(facts)
/** More are not read. Then the last end is unknown if nothing but silence ended the agent's part. */
const maxSteps = 10_000

const endsIn = (steps: ReadonlyArray<Step>, now: Date): ReadonlyMap<string, Date> => {
  const last = steps.at(-1)?.time
  const until = steps.length < maxSteps || last === undefined ? now : last
  return agentEnds(
    steps.flatMap((step) => facts[step.type]?.(step) ?? []),
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
      const steps = await rejectAfter(
        queryMs,
        timeline
          .find<Step>(
            {
              ...ofChat,
              type: { $in: factTypes },
              time: { $gte: firstJoin.time },
            },
            {
              ...options,
              sort: { time: 1, offset: 1 },
              limit: maxSteps,
              projection: { type: 1, time: 1, commandType: '$data.commandType' },
            },
          )
          .toArray(),
      )
      const ends = endsIn(steps, new Date(now()))
      const messages = oldestFirst.map((entry): HistoryMessage => {
        const end = ends.get(entry._id)
        return { ...messageOf(chat, entry), ...(end && { until: instant(end) }) }
      })
      return { messages, upTo }
    },
  }
}
