import type { Db } from 'mongodb'
import type { HistoryMessage } from '../../contracts/http.ts'
import type { Instant } from '../../contracts/primitives.ts'
import { chatSources } from '../../contracts/source.ts'
import type { TimelineDocument } from '../../contracts/views/timeline.ts'
import { asPart } from '../domain/identity.ts'
import type { ChatHistory, ChatName } from '../domain/ports.ts'
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

/** Until when each agent had the chat: until the first end after that. */
const withEnds = (messages: ReadonlyArray<HistoryMessage>, ends: ReadonlyArray<Date>): ReadonlyArray<HistoryMessage> =>
  messages.map((message) => {
    if (message.from !== 'agent') return message
    const end = ends.find((at) => at.getTime() >= Date.parse(message.at))
    return end === undefined ? message : { ...message, until: instant(end) }
  })

/** Reads what was said from the timeline. Erased entries have no words any more, so they are left out. */
export const chatHistoryIn = (db: Db): ChatHistory => {
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
      const messages = entries.map((entry) => messageOf(chat, entry)).toReversed()
      const firstAgent = messages.find(({ from }) => from === 'agent')
      if (firstAgent === undefined) return { messages: [...messages], upTo: eventIdOf(chat, newest._id) }
      const ends = await rejectAfter(
        queryMs,
        timeline
          .find(
            {
              ...ofChat,
              type: { $in: ['ChatClosed', 'ChatFinished'] },
              time: { $gte: new Date(firstAgent.at) },
            },
            { ...options, sort: { time: 1 }, limit: last * 2, projection: { time: 1 } },
          )
          .toArray(),
      )
      return {
        messages: [
          ...withEnds(
            messages,
            ends.map(({ time }) => time),
          ),
        ],
        upTo: eventIdOf(chat, newest._id),
      }
    },
  }
}
