import type * as t from 'io-ts'
import { Text } from '../personal.ts'
import { exactShape } from '../primitives.ts'
import { domainEvent } from './envelope.ts'
import { agentChat } from './fields.ts'

/** A chat was linked to the CRM; `assignTo` is the link that was used (chat_assigned). */
export const ChatAssigned = domainEvent(
  'ChatAssigned',
  exactShape(
    agentChat.required,
    {
      ...agentChat.optional,
      /** The link to the CRM that was used. */
      assignTo: Text,
    },
    'ChatAssignedData',
  ),
)
export type ChatAssigned = t.TypeOf<typeof ChatAssigned>
