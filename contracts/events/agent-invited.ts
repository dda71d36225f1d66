import * as t from 'io-ts'
import { exactShape } from '../primitives.ts'
import { domainEvent } from './envelope.ts'
import { botChat } from './fields.ts'

/**
 * The chat was handed to an agent. The service reported it (INVITE_AGENT), or the bridge itself requested it and the
 * service accepted. `reason` is why the bridge requested it: the client had no reply in time, or the delivery of the
 * reply failed permanently.
 */
export const AgentInvited = domainEvent(
  'AgentInvited',
  exactShape(
    {
      ...botChat.required,
      /** Who handed the chat over. */
      invitedBy: t.union([t.literal('service'), t.literal('bridge')]),
    },
    {
      ...botChat.optional,
      /** Why the bridge handed it over. */
      reason: t.keyof({ 'no-reply-in-time': null, 'delivery-failed': null }),
    },
    'AgentInvitedData',
  ),
)
export type AgentInvited = t.TypeOf<typeof AgentInvited>
