import type * as t from 'io-ts'
import { AccountId, exactShape, Id, Instant, NonBlank } from '../primitives.ts'

/**
 * A consumer group has read ClientErased or ChatErased and has removed its data of that person. The key is
 * `<account id>/<client id>`, or `<account id>/<chat id>` if no client is known.
 */
export const ErasureConfirmation = exactShape(
  {
    /** The customer account of the service, by its id in the accounts file. */
    accountId: AccountId,
    /** The id of the erasure, as in its markers. */
    erasureId: Id,
    /** The name of the consumer group in Kafka. */
    group: NonBlank,
    /** When the group had removed the data. */
    erasedAt: Instant,
  },
  {
    /** The client id of the marker. */
    clientId: Id,
    /** The chat id of the marker. */
    chatId: Id,
  },
  'ErasureConfirmation',
)
export type ErasureConfirmation = t.TypeOf<typeof ErasureConfirmation>
