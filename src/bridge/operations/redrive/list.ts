import { unresolvedIn } from './chains.ts'
import { originOf } from './dead-letters.ts'
import type { Found, FoundDeadLetter, QuarantinedLetter } from './find.ts'

type Sent = Pick<Found<object>['letters'][number], 'sentAt'>

/**
 * A dead letter as `list` has it. `before`: how often its record had been redriven before this failure. `redriven`: when
 * this dead letter was redriven; null while MongoDB does not answer. `erased`: its person was erased since.
 */
const listedDeadLetter = ({ sentAt, ...deadLetter }: FoundDeadLetter & Sent) => ({
  id: deadLetter.id,
  origin: originOf(deadLetter),
  consumer: deadLetter.consumer,
  cause: deadLetter.cause,
  failedAt: deadLetter.failedAt,
  before: deadLetter.redriven,
  redriven: sentAt ?? null,
  ...(deadLetter.erased && { erased: true as const }),
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
/** `unresolved`: how many records somebody must still send, as the console counts them; null if that is not known. */
export type Listed =
  | (Listing<'dead-letters', ListedDeadLetter> & { readonly unresolved: number | null })
  | Listing<'quarantine', ListedRequest>

export const listDeadLetters = (found: Found<FoundDeadLetter>): Listed => ({
  kind: 'dead-letters',
  count: found.count,
  unresolved: unresolvedIn(found) ?? null,
  listed: found.letters.map(listedDeadLetter),
  unreadable: found.unreadable,
})

export const listRequests = ({ count, unreadable, letters }: Found<QuarantinedLetter>): Listed => ({
  kind: 'quarantine',
  count,
  listed: letters.map(listedRequest),
  unreadable,
})
