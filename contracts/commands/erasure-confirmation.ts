import type * as t from 'io-ts'
import { AccountId, exactShape, Id, Instant, NonBlank } from '../primitives.ts'

/**
 * A consumer group has removed what it kept of an erased person: it has taken in ClientErased or ChatErased. The key is
 * `<account id>/<client id>`, and `<account id>/<chat id>` where no client is known.
 */
export const ErasureConfirmation = exactShape(
  {
    /** The customer account of the service, by its id in the accounts file. */
    accountId: AccountId,
    /** The erasure, as its markers name it. */
    erasureId: Id,
    /** The consumer group that has erased, as Kafka knows it. */
    group: NonBlank,
    /** When it had. */
    erasedAt: Instant,
  },
  {
    /** The client of the marker. */
    clientId: Id,
    /** The chat of the marker. */
    chatId: Id,
  },
  'ErasureConfirmation',
)
export type ErasureConfirmation = t.TypeOf<typeof ErasureConfirmation>
