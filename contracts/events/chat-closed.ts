import type * as t from 'io-ts'
import { exactShape } from '../primitives.ts'
import { domainEvent } from './envelope.ts'
import { conversationEvent } from './fields.ts'

/** The conversation has ended (CHAT_CLOSED). */
export const ChatClosed = domainEvent(
  'ChatClosed',
  exactShape(conversationEvent.required, conversationEvent.optional, 'ChatClosedData'),
)
export type ChatClosed = t.TypeOf<typeof ChatClosed>
