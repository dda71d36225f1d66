import type * as t from 'io-ts'
import { AccountId, exactShape, Id, NonBlank, nullable } from '../primitives.ts'
import { OffsetTime } from '../wire.ts'

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
    /** When the group had removed the data: RFC 3339 with any offset. */
    erasedAt: OffsetTime,
  },
  {
    /** The client id of the marker. */
    clientId: nullable(Id),
    /** The chat id of the marker. */
    chatId: nullable(Id),
  },
  'ErasureConfirmation',
)
export type ErasureConfirmation = t.TypeOf<typeof ErasureConfirmation>

export const exampleConfirmation = {
  accountId: 'acme',
  clientId: '1233',
  erasureId: 'b4b2f0a1c7d84e55',
  group: 'warehouse',
  erasedAt: '2022-10-11T09:00:00.000Z',
}
