import { table } from '../../shared/table.ts'
import { printable } from '../../shared/text.ts'
import { originOf, type StoredDeadLetter } from './dead-letters.ts'
import type { Found, QuarantinedLetter } from './find.ts'

type Row = ReadonlyArray<string>

type Sent = Pick<Found<object>['letters'][number], 'sentAt'>

const longest = 120

const cell = (text: string) => {
  const safe = printable(text)
  return safe.length > longest ? `${safe.slice(0, longest - 1)}…` : safe
}

const redrivenText = (sentAt: ReadonlyArray<string> | null) => {
  if (sentAt === null) return '?'
  const last = sentAt.at(-1)
  return last === undefined ? 'no' : `${sentAt.length > 1 ? `${sentAt.length} times, last ` : ''}${last}`
}

/**
 * A dead letter as `list` shows it. `before`: how often its record had been redriven before this failure. `redriven`:
 * when this dead letter was redriven.
 */
export const listedDeadLetter = ({ sentAt, ...deadLetter }: StoredDeadLetter & Sent) => ({
  id: deadLetter.id,
  origin: originOf(deadLetter),
  consumer: deadLetter.consumer,
  cause: deadLetter.cause,
  failedAt: deadLetter.failedAt,
  before: deadLetter.redriven,
  redriven: sentAt ?? null,
  detail: deadLetter.detail,
})

export const deadLetterHead: Row = ['ID', 'ORIGIN', 'CONSUMER', 'CAUSE', 'FAILED AT', 'BEFORE', 'REDRIVEN', 'DETAIL']

export const deadLetterRow = (listed: ReturnType<typeof listedDeadLetter>): Row => {
  const { id, origin, consumer, cause, failedAt, before, redriven: sentAt, detail } = listed
  return [id, origin, consumer, cause, failedAt, String(before), redrivenText(sentAt), detail].map(cell)
}

const quarantineHead: Row = ['ID', 'ACCOUNT', 'INTERFACE', 'RECEIVED AT', 'REASON', 'BYTES', 'PROBLEMS']

/** A request in quarantine as `list` shows it. */
export const listedRequest = ({ sentAt, memoryId, ...listed }: QuarantinedLetter & Sent) => listed

export const quarantineRow = (listed: ReturnType<typeof listedRequest>): Row =>
  Object.values(listed).map(String).map(cell)

const linesOf = (
  head: Row,
  rows: ReadonlyArray<Row>,
  { count, unreadable }: Found<object>,
  what: string,
  one: string,
) => [
  ...(rows.length > 0 ? [...table([head, ...rows]), ''] : []),
  `${what}: ${rows.length < count ? `the newest ${rows.length} of ` : ''}${count}`,
  ...(unreadable > 0 ? [`records without the headers of a ${one}, not listed: ${unreadable}`] : []),
]

/** The found items as values and as lines of a table. */
type Listing = { readonly count: number; readonly listed: ReadonlyArray<object>; readonly lines: ReadonlyArray<string> }

export const listDeadLetters = (found: Found<StoredDeadLetter>): Listing => {
  const listed = found.letters.map(listedDeadLetter)
  const isKnown = found.letters.every(({ sentAt }) => sentAt !== undefined)
  const lines = linesOf(deadLetterHead, listed.map(deadLetterRow), found, 'dead letters', 'dead letter')
  const unknown = 'MongoDB does not answer, so it is not known which of them were redriven'
  return { count: found.count, listed, lines: isKnown ? lines : [...lines, unknown] }
}

export const listRequests = (found: Found<QuarantinedLetter>): Listing => {
  const listed = found.letters.map(listedRequest)
  const lines = linesOf(quarantineHead, listed.map(quarantineRow), found, 'requests in quarantine', 'request')
  return { count: found.count, listed, lines }
}
