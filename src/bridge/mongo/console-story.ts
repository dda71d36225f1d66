import { createHash } from 'node:crypto'
import type { Db } from 'mongodb'
import type { ChatDocument } from '../../../contracts/views/chat.ts'
import type { ConversationDocument } from '../../../contracts/views/conversation.ts'
import type { DeliveryDocument } from '../../../contracts/views/delivery.ts'
import type { SessionDocument } from '../../../contracts/views/session.ts'
import type { TimelineDocument } from '../../../contracts/views/timeline.ts'
import { type PageEnd, pageEnd } from '../shared/page.ts'
import type { ViewName } from '../views/index.ts'
import { bounded, type Known, known, thatFit, viewIn } from './source.ts'

export type Chat = { readonly accountId: string; readonly chatId: string }

/** The documents of one chat. Events and deliveries are the newest ones, the newest first. */
export type Story = {
  readonly chat?: ChatDocument
  readonly conversation?: ConversationDocument
  readonly sessions: ReadonlyArray<SessionDocument>
  readonly deliveries: ReadonlyArray<DeliveryDocument>
  readonly events: ReadonlyArray<TimelineDocument>
  /** Where older events begin, if there are any. */
  readonly earlier?: PageEnd
}

/** The `_id` of a chat's documents in `chats` and `conversations`. */
export const chatKey = ({ accountId, chatId }: Chat): string => `${accountId}/${chatId}`

const maxEvents = 500
const maxSessions = 200

const readStory = async (db: Db, chat: Chat, before: PageEnd | undefined): Promise<Story> => {
  const { accountId, chatId } = chat
  const of = <D extends object>(view: ViewName, where: object, sort: Record<string, -1>) =>
    viewIn(db, view).find<D>({ accountId, chatId, ...where }, { ...bounded, sort })
  const named = <D>(view: ViewName) =>
    viewIn<{ _id: string }>(db, view).findOne({ _id: chatKey(chat) }, bounded) as Promise<D | null>
  const older = before && { time: { $lte: before.at }, _id: { $nin: [...before.ids] } }
  const asked = before && { requestedAt: { $lte: before.at } }
  const [one, conversation, sessions, deliveries, events] = await Promise.all([
    named<ChatDocument>('chats'),
    named<ConversationDocument>('conversations'),
    thatFit(of<SessionDocument>('sessions', {}, { startedAt: -1 }), maxSessions),
    thatFit(of<DeliveryDocument>('deliveries', { ...asked }, { requestedAt: -1 }), maxEvents),
    thatFit(of<TimelineDocument>('timeline', { ...older }, { time: -1, offset: -1 }), maxEvents),
  ])
  const end = pageEnd(events.documents, ({ time }) => time, before)
  return {
    ...(one && { chat: one }),
    ...(conversation && { conversation }),
    sessions: sessions.documents,
    deliveries: deliveries.documents,
    events: events.documents,
    ...(!events.areAll && end && { earlier: end }),
  }
}

export const storyIn =
  (db: Db) =>
  (chat: Chat, before?: PageEnd): Known<Story> =>
    known(readStory(db, chat, before))

const ofChats = (chats: ReadonlyArray<Chat>) => ({
  $or: [...Map.groupBy(chats, ({ accountId }) => accountId)].map(([accountId, own]) => ({
    accountId,
    chatId: { $in: own.map(({ chatId }) => chatId) },
  })),
})

/** The sum of a document's offsets. It changes with each record that the document processes. */
const offsets = { $sum: { $map: { input: { $objectToArray: '$applied' }, in: '$$this.v' } } }
const differences = { $size: { $ifNull: ['$audit.differences', []] } }

const counted = {
  chats: { applied: { $sum: offsets } },
  conversations: { applied: { $sum: offsets } },
  sessions: {
    applied: { $sum: offsets },
    differences: { $sum: differences },
    due: { $sum: { $cond: [{ $eq: ['$audit.state', 'due'] }, 1, 0] } },
  },
  deliveries: { applied: { $sum: offsets } },
  // MongoDB reads only the index, because a chat may have many events.
  timeline: { newest: { $max: '$time' } },
} as const satisfies { readonly [V in ViewName]?: object }

type Group = { readonly _id: Chat }

const readVersions = async (db: Db, chats: ReadonlyArray<Chat>): Promise<ReadonlyMap<string, string>> => {
  if (chats.length === 0) return new Map()
  const names = chats.map(chatKey)
  const groups = await Promise.all(
    Object.entries(counted).map(async ([view, sums]) => {
      const isNamed = view === 'chats' || view === 'conversations'
      const $match = isNamed ? { _id: { $in: names } } : ofChats(chats)
      const _id = { accountId: '$accountId', chatId: '$chatId' }
      const stages = [{ $match }, { $group: { _id, count: { $sum: 1 }, ...sums } }]
      const found = await db.collection<{ _id: string }>(view).aggregate<Group>(stages, bounded).toArray()
      return new Map(found.map(({ _id, ...rest }) => [chatKey(_id), rest]))
    }),
  )
  const versionOf = (name: string) =>
    createHash('sha256')
      .update(JSON.stringify(groups.map((group) => group.get(name) ?? null)))
      .digest('base64url')
      .slice(0, 16)
  return new Map(names.map((name) => [name, versionOf(name)]))
}

/**
 * By `chatKey`, a version text of each chat's story. It changes when any part of the story changes. It is a hash of
 * counts and sums that MongoDB computes, so no documents are loaded.
 */
export const versionsIn =
  (db: Db) =>
  (chats: ReadonlyArray<Chat>): Known<ReadonlyMap<string, string>> =>
    known(readVersions(db, chats))
