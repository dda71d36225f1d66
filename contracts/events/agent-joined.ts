import type * as t from 'io-ts'
import { exactShape } from '../primitives.ts'
import { domainEvent, extra } from './envelope.ts'
import { conversation } from './fields.ts'

/** An agent connected to the conversation (AGENT_JOINED). */
export const AgentJoined = domainEvent('AgentJoined', exactShape(conversation, extra, 'AgentJoinedData'))
export type AgentJoined = t.TypeOf<typeof AgentJoined>
