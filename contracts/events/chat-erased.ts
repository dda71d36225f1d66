import * as t from 'io-ts'
import { AccountId, exactShape, Id } from '../primitives.ts'
import { domainEvent } from './envelope.ts'

/**
 * A chat must be forgotten. Every reader that keeps data from earlier records of this key in this topic removes
 * everything personal in that data. Records after this one are new data. Each topic of a chat has its own marker, so
 * that the marker has its place in the order there.
 */
export const ChatErased = domainEvent(
  'ChatErased',
  exactShape(
    {
      /** The customer account of the service, by its id in the accounts file. */
      accountId: AccountId,
      /** The chat. Its id is unique within the account and the same on both interfaces. */
      chatId: Id,
      /** The id of the erasure. All markers of one person's erasure have the same id. */
      erasureId: Id,
      /** The topic of this marker, without its prefix. */
      topic: t.keyof({ chats: null, calls: null, 'offline-messages': null, 'bot-conversations': null }),
    },
    {
      /** The client of the chat, if the bridge knows it. */
      clientId: Id,
    },
    'ChatErasedData',
  ),
)
export type ChatErased = t.TypeOf<typeof ChatErased>
