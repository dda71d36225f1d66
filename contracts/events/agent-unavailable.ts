import type * as t from 'io-ts'
import { exactShape } from '../primitives.ts'
import { domainEvent, extra } from './envelope.ts'
import { conversation } from './fields.ts'

/** No agent could take the chat (AGENT_UNAVAILABLE). */
export const AgentUnavailable = domainEvent('AgentUnavailable', exactShape(conversation, extra, 'AgentUnavailableData'))
export type AgentUnavailable = t.TypeOf<typeof AgentUnavailable>
