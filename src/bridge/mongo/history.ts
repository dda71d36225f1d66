import type { Db } from 'mongodb'
import { chatSources } from '../../../contracts/source.ts'
import {
  type ChatHistory,
  eventIdOf,
  maxSteps,
  messagesOf,
  prefixOf,
  type Said,
  type Step,
  type StepType,
} from '../domain/chat-history.ts'
import type { Now } from '../domain/clock.ts'
import { entriesView } from '../views/index.ts'
import { conversationTypes } from '../views/view.ts'
import { rejectAfter } from './client.ts'

const queryMs = 2_000
/** A model does not read more of one message, and an answer must stay small. */
const maxCharacters = 16_384

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

/** The events that decide how long an agent has a chat. */
const stepTypes = [...conversationTypes, 'ChatErased'] as const satisfies ReadonlyArray<StepType>

/** Reads what was said from the timeline. Erased entries have no words any more, so they are left out. */
export const chatHistoryIn = (db: Db, now: Now): ChatHistory => {
  const timeline = db.collection<Said>(entriesView)
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
      const historyWith = (steps: ReadonlyArray<Step>) => ({
        messages: [...messagesOf(chat, oldestFirst, steps, new Date(now()))],
        upTo,
      })
      if (firstJoin === undefined) return historyWith([])
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
      return historyWith(steps)
    },
  }
}
