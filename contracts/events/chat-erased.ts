import * as t from 'io-ts'
import { AccountId, exactShape, Id } from '../primitives.ts'
import { domainEvent } from './envelope.ts'

/**
 * A chat must be forgotten: whoever keeps what earlier records of this key in this topic say removes everything personal of it.
 * Records after this one are new data. Each topic of a chat has a marker of its own, so that it has its place in the order there.
 */
export const ChatErased = domainEvent(
  'ChatErased',
  exactShape(
    {
      /** The customer account of the service, by its id in the accounts file. */
      accountId: AccountId,
      /** The chat, unique within the account; the same on both interfaces. */
      chatId: Id,
      /** The erasure that this belongs to: all markers of one person's erasure have the same. */
      erasureId: Id,
      /** The topic on which this marker stands, without its prefix. */
      topic: t.keyof({ chats: null, calls: null, 'offline-messages': null, 'bot-conversations': null }),
    },
    {
      /** Whose chat it was, where the bridge knows. */
      clientId: Id,
    },
    'ChatErasedData',
  ),
)
export type ChatErased = t.TypeOf<typeof ChatErased>
