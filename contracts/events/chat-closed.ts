import type * as t from 'io-ts'
import { AccountId, exactShape, Id } from '../primitives.ts'
import { domainEvent, extra } from './envelope.ts'

/** The conversation has ended (CHAT_CLOSED). */
export const ChatClosed = domainEvent(
  'ChatClosed',
  exactShape(
    {
      /** The customer account of the service, by its id in the accounts file. */
      accountId: AccountId,
      /** The chat. Its id is unique within the account and the same on both interfaces. */
      chatId: Id,
    },
    {
      /** The client who writes on the channel, if the service names it. */
      clientId: Id,
      ...extra,
    },
    'ChatClosedData',
  ),
)
export type ChatClosed = t.TypeOf<typeof ChatClosed>
