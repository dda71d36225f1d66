import { originOf, type StoredDeadLetter } from './dead-letters.ts'
import type { Found, QuarantinedLetter } from './find.ts'

type Sent = Pick<Found<object>['letters'][number], 'sentAt'>

/**
 * A dead letter as `list` has it. `before`: how often its record had been redriven before this failure. `redriven`: when
 * this dead letter was redriven; null while MongoDB does not answer.
 */
const listedDeadLetter = ({ sentAt, ...deadLetter }: StoredDeadLetter & Sent) => ({
  id: deadLetter.id,
  origin: originOf(deadLetter),
  consumer: deadLetter.consumer,
  cause: deadLetter.cause,
  failedAt: deadLetter.failedAt,
  before: deadLetter.redriven,
  redriven: sentAt ?? null,
  detail: deadLetter.detail,
})

/** A request in quarantine as `list` has it. */
const listedRequest = ({ sentAt, memoryId, ...listed }: QuarantinedLetter & Sent) => listed

/** The newest of all that match. `unreadable`: how many records of the topic lack the headers of one. */
type Listing<Kind, Listed> = {
  readonly kind: Kind
  readonly count: number
  readonly listed: ReadonlyArray<Listed>
  readonly unreadable: number
}
export type ListedDeadLetter = ReturnType<typeof listedDeadLetter>
export type ListedRequest = ReturnType<typeof listedRequest>
export type Listed = Listing<'dead-letters', ListedDeadLetter> | Listing<'quarantine', ListedRequest>

export const listDeadLetters = ({ count, unreadable, letters }: Found<StoredDeadLetter>): Listed => ({
  kind: 'dead-letters',
  count,
  listed: letters.map(listedDeadLetter),
  unreadable,
})

export const listRequests = ({ count, unreadable, letters }: Found<QuarantinedLetter>): Listed => ({
  kind: 'quarantine',
  count,
  listed: letters.map(listedRequest),
  unreadable,
})
