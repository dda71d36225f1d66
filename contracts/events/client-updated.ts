import type * as t from 'io-ts'
import { exactShape, Id } from '../primitives.ts'
import { domainEvent } from './envelope.ts'
import { webhook } from './fields.ts'

/** A client's data changed, in a chat or outside (client_updated). */
export const ClientUpdated = domainEvent(
  'ClientUpdated',
  exactShape(
    {
      ...webhook.required,
      /** The client. Its id is unique within the account. */
      clientId: Id,
    },
    webhook.optional,
    'ClientUpdatedData',
  ),
)
export type ClientUpdated = t.TypeOf<typeof ClientUpdated>
