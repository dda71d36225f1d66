import * as t from 'io-ts'
import { exactShape } from '../primitives.ts'
import { domainEvent, extra } from './envelope.ts'
import { conversation } from './fields.ts'

/**
 * The chat was handed to an agent: told by the service (INVITE_AGENT), or asked for by the bridge itself and taken by the
 * service. `reason` is why the bridge did: the client had no reply in time, or the delivery of the reply failed for good.
 */
export const AgentInvited = domainEvent(
  'AgentInvited',
  exactShape(
    {
      ...conversation,
      /** Who handed the chat over. */
      invitedBy: t.union([t.literal('service'), t.literal('bridge')]),
    },
    {
      /** Why the bridge did. */
      reason: t.keyof({ 'no-reply-in-time': null, 'delivery-failed': null }),
      ...extra,
    },
    'AgentInvitedData',
  ),
)
export type AgentInvited = t.TypeOf<typeof AgentInvited>
