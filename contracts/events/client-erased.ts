import type * as t from 'io-ts'
import { AccountId, exactShape, Id } from '../primitives.ts'
import { domainEvent } from './envelope.ts'

/**
 * A client must be forgotten: whoever keeps what earlier records of this key say removes everything personal of it. Records
 * after this one are new data. An operator asked for it, or the time that the account keeps personal data is over.
 */
export const ClientErased = domainEvent(
  'ClientErased',
  exactShape(
    {
      /** The customer account of the service, by its id in the accounts file. */
      accountId: AccountId,
      /** The client, unique within the account. */
      clientId: Id,
      /** The erasure that this belongs to: all markers of one person's erasure have the same. */
      erasureId: Id,
    },
    {},
    'ClientErasedData',
  ),
)
export type ClientErased = t.TypeOf<typeof ClientErased>
