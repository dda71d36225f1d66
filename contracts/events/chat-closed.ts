import type * as t from 'io-ts'
import { AccountId, exactShape, Id } from '../primitives.ts'
import { domainEvent, extra } from './envelope.ts'

/** The conversation is over (CHAT_CLOSED). */
export const ChatClosed = domainEvent(
  'ChatClosed',
  exactShape({ accountId: AccountId, chatId: Id }, { clientId: Id, ...extra }, 'ChatClosedData'),
)
export type ChatClosed = t.TypeOf<typeof ChatClosed>
