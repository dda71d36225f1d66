import type * as t from 'io-ts'
import { exactShape } from '../primitives.ts'
import { domainEvent } from './envelope.ts'
import { agentChat } from './fields.ts'

/** An agent accepted a chat (chat_accepted). */
export const ChatAccepted = domainEvent(
  'ChatAccepted',
  exactShape(agentChat.required, agentChat.optional, 'ChatAcceptedData'),
)
export type ChatAccepted = t.TypeOf<typeof ChatAccepted>
