import type * as t from 'io-ts'
import { exactShape, Id } from '../primitives.ts'
import { domainEvent } from './envelope.ts'
import { webhook } from './fields.ts'
import { Agent, Call } from './parts.ts'

/** Agents got a new call, or a call's status changed (call_event). */
export const CallStatusChanged = domainEvent(
  'CallStatusChanged',
  exactShape(
    {
      ...webhook.required,
      /** The chat id of the call. */
      chatId: Id,
    },
    {
      ...webhook.optional,
      /** The call as it is now. */
      call: Call,
      /** The agent who has the call. */
      agent: Agent,
    },
    'CallStatusChangedData',
  ),
)
export type CallStatusChanged = t.TypeOf<typeof CallStatusChanged>
