import type * as t from 'io-ts'
import { AccountId, exactShape, Id } from '../primitives.ts'
import { domainEvent } from './envelope.ts'

/**
 * A client must be forgotten. Every reader that keeps data from earlier records of this key removes everything personal
 * in it. Records after this one are new data. An operator requested it, or the account's retention time for personal
 * data has passed.
 */
export const ClientErased = domainEvent(
  'ClientErased',
  exactShape(
    {
      /** The customer account of the service, by its id in the accounts file. */
      accountId: AccountId,
      /** The client. Its id is unique within the account. */
      clientId: Id,
      /** The id of the erasure. All markers of one person's erasure have the same id. */
      erasureId: Id,
    },
    {},
    'ClientErasedData',
  ),
)
export type ClientErased = t.TypeOf<typeof ClientErased>
