import type * as t from 'io-ts'
import { exactShape } from '../primitives.ts'
import { domainEvent } from './envelope.ts'
import { botChat } from './fields.ts'

/** An agent connected to the conversation (AGENT_JOINED). */
export const AgentJoined = domainEvent('AgentJoined', exactShape(botChat.required, botChat.optional, 'AgentJoinedData'))
export type AgentJoined = t.TypeOf<typeof AgentJoined>
