import type * as t from 'io-ts'
import { exactShape } from '../primitives.ts'
import { domainEvent } from './envelope.ts'
import { botChat } from './fields.ts'

/** The conversation has ended (CHAT_CLOSED). */
export const ChatClosed = domainEvent('ChatClosed', exactShape(botChat.required, botChat.optional, 'ChatClosedData'))
export type ChatClosed = t.TypeOf<typeof ChatClosed>
