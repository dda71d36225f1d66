import type * as t from 'io-ts'
import { exactShape } from '../primitives.ts'
import { domainEvent } from './envelope.ts'
import { botChat } from './fields.ts'

/** No agent could take the chat (AGENT_UNAVAILABLE). */
export const AgentUnavailable = domainEvent(
  'AgentUnavailable',
  exactShape(botChat.required, botChat.optional, 'AgentUnavailableData'),
)
export type AgentUnavailable = t.TypeOf<typeof AgentUnavailable>
