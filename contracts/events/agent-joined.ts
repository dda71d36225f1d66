import type * as t from 'io-ts'
import { exactShape } from '../primitives.ts'
import { domainEvent } from './envelope.ts'
import { conversationEvent } from './fields.ts'

/** An agent connected to the conversation (AGENT_JOINED). */
export const AgentJoined = domainEvent(
  'AgentJoined',
  exactShape(conversationEvent.required, conversationEvent.optional, 'AgentJoinedData'),
)
export type AgentJoined = t.TypeOf<typeof AgentJoined>
