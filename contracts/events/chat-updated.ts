import type * as t from 'io-ts'
import { exactShape } from '../primitives.ts'
import { domainEvent } from './envelope.ts'
import { agentChat } from './fields.ts'

/** The visitor's data changed during a chat (chat_updated). */
export const ChatUpdated = domainEvent(
  'ChatUpdated',
  exactShape(agentChat.required, agentChat.optional, 'ChatUpdatedData'),
)
export type ChatUpdated = t.TypeOf<typeof ChatUpdated>
