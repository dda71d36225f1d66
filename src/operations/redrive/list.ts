import * as E from 'fp-ts/lib/Either.js'
import type { Instant } from '../../../contracts/primitives.ts'
import { deadLetters, quarantine, type TopicName } from '../../../contracts/topics.ts'
import type { Failure, IncomingRecord } from '../../domain/ports.ts'
import { quarantineHeadersOf } from '../../domain/quarantined.ts'
import type { ReadTopic } from '../../kafka/read-topic.ts'
import type { Redrives } from '../../mongo/redrives.ts'
import { printable, printableLines } from '../../shared/printable.ts'
import { table } from '../../shared/table.ts'
import {
  type Filters,
  matches,
  memoryIdOf,
  originOf,
  partOf,
  placeOf,
  readDeadLetter,
  type StoredDeadLetter,
} from './dead-letters.ts'

type Row = ReadonlyArray<string>

/** When a dead letter was sent back; nothing where that is not known. */
type SentAt = ReadonlyArray<Instant> | undefined | null

const longest = 120

const cell = (text: string) => {
  const safe = printable(text)
  return safe.length > longest ? `${safe.slice(0, longest - 1)}…` : safe
}

const redrivenText = (sentAt: SentAt) => {
  if (sentAt === undefined || sentAt === null) return '?'
  const last = sentAt.at(-1)
  return last === undefined ? 'no' : `${sentAt.length > 1 ? `${sentAt.length} times, last ` : ''}${last}`
}

/** A dead letter as `list` shows it: `before` is how often its record had been redriven when it failed, `redriven` when it was itself. */
export const listedDeadLetter = (deadLetter: StoredDeadLetter, sentAt: SentAt) => ({
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

/** A record of quarantine as `list` shows it; one that ingress has not written says so. */
export const listedRequest = (record: IncomingRecord) => {
  const decoded = quarantineHeadersOf(record)
  const written = E.isRight(decoded) ? decoded.right : undefined
  return {
    id: placeOf(record),
    account: String(record.key ?? ''),
    interface: written?.interface ?? '?',
    receivedAt: written?.received_at ?? '?',
    reason: written?.reason ?? '?',
    bytes: record.value?.length ?? 0,
    problems: written?.problems ?? 'not as the bridge writes it',
  }
}

const quarantineHead: Row = ['ID', 'ACCOUNT', 'INTERFACE', 'RECEIVED AT', 'REASON', 'BYTES', 'PROBLEMS']

export const quarantineRow = (listed: ReturnType<typeof listedRequest>): Row =>
  Object.values(listed).map(String).map(cell)

/** Keeps the newest of what it is given, in bounded memory. */
type Newest<A> = {
  readonly add: (item: A) => void
  readonly count: () => number
  /** The oldest first; what is of the same time, in the order in which it was added. */
  readonly items: () => ReadonlyArray<A>
}

export const newest = <A>(most: number, timeOf: (item: A) => number): Newest<A> => {
  let count = 0
  let kept: Array<A> = []
  const cut = () => {
    kept = kept.sort((a, b) => timeOf(a) - timeOf(b)).slice(-most)
    return kept
  }
  return {
    add: (item) => {
      count++
      if (kept.push(item) >= 2 * most) cut()
    },
    count: () => count,
    items: () => cut(),
  }
}

/** What was found, oldest first, as values and as the lines of a table. */
type Listing = {
  readonly count: number
  readonly listed: ReadonlyArray<object>
  readonly lines: ReadonlyArray<string>
}

type Ports = { readonly readTopic: ReadTopic; readonly findRedrives: Redrives['find'] }

const tableOf = (head: Row, rows: ReadonlyArray<Row>, count: number, what: string): ReadonlyArray<string> => [
  ...(rows.length > 0 ? [...table([head, ...rows]), ''] : []),
  `${what}: ${rows.length < count ? `the newest ${rows.length} of ` : ''}${count}`,
]

/** The newest dead letters that fit, the oldest first, and how many there are of them. */
export const listLetters = async (
  { readTopic, findRedrives }: Ports,
  filters: Filters,
  limit: number,
  signal: AbortSignal,
): Promise<E.Either<Failure, Listing>> => {
  const isMeant = matches(filters)
  const found = newest<StoredDeadLetter>(limit, ({ failedAt }) => Date.parse(failedAt))
  let unreadable = 0
  const onSlice = async (records: ReadonlyArray<IncomingRecord>) => {
    for (const record of records) {
      const deadLetter = readDeadLetter(record)
      if (E.isLeft(deadLetter)) unreadable++
      else if (isMeant(deadLetter.right)) found.add(deadLetter.right)
    }
  }
  const read = await readTopic(deadLetters.name, onSlice, { part: partOf(filters.id), signal })
  if (E.isLeft(read)) return read
  const shown = found.items()
  // The dead letters can be looked at while MongoDB is away.
  const sent = await findRedrives(shown.map(memoryIdOf)).catch(() => undefined)
  const listed = shown.map((deadLetter) =>
    listedDeadLetter(deadLetter, sent && (sent.get(memoryIdOf(deadLetter)) ?? [])),
  )
  const lines = [
    ...tableOf(deadLetterHead, listed.map(deadLetterRow), found.count(), 'dead letters'),
    ...(unreadable > 0 ? [`records without the headers of a dead letter, not listed: ${unreadable}`] : []),
    ...(sent === undefined ? ['MongoDB does not answer: which of them were redriven is not known'] : []),
  ]
  return E.right({ count: found.count(), listed, lines })
}

/** The newest requests in quarantine, the oldest first, and how many there are. */
export const listQuarantine = async (
  { readTopic }: Pick<Ports, 'readTopic'>,
  limit: number,
  signal: AbortSignal,
): Promise<E.Either<Failure, Listing>> => {
  const requests = newest<ReturnType<typeof listedRequest> & { readonly at: number }>(limit, ({ at }) => at)
  const onSlice = async (records: ReadonlyArray<IncomingRecord>) => {
    for (const record of records) requests.add({ at: record.timestamp, ...listedRequest(record) })
  }
  const read = await readTopic(quarantine.name, onSlice, { signal })
  if (E.isLeft(read)) return read
  const listed = requests.items().map(({ at, ...request }) => request)
  const lines = tableOf(quarantineHead, listed.map(quarantineRow), requests.count(), 'requests in quarantine')
  return E.right({ count: requests.count(), listed, lines })
}

// The mark at the beginning is a part of the bytes.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const textOf = (bytes: Buffer | null, render: (text: string) => string): string => {
  if (bytes === null) return '(null)'
  try {
    return render(utf8.decode(bytes))
  } catch {
    return `hex ${bytes.toString('hex')}`
  }
}

/** A record as lines for a terminal: text where its bytes are UTF-8, hexadecimal digits where they are not. */
export const recordLines = (record: IncomingRecord): ReadonlyArray<string> => [
  `id      ${placeOf(record)}`,
  `stored  ${Number.isFinite(record.timestamp) ? new Date(record.timestamp).toISOString() : '?'}`,
  ...Object.entries(record.headers).map(([name, value]) => `header  ${printable(name)}: ${textOf(value, printable)}`),
  `key     ${textOf(record.key, printable)}`,
  `value   ${record.value?.length ?? 0} bytes`,
  textOf(record.value, printableLines),
]

/** The record at a place `partition/offset` of a topic, undefined where there is none. */
export const findRecord = async (
  readTopic: ReadTopic,
  topic: TopicName,
  place: string,
): Promise<E.Either<Failure, IncomingRecord | undefined>> => {
  let found: IncomingRecord | undefined
  const read = await readTopic(
    topic,
    async (records) => {
      found ??= records.find((record) => placeOf(record) === place)
    },
    { part: partOf([place]) },
  )
  return E.isLeft(read) ? read : E.right(found)
}
