import * as E from 'fp-ts/lib/Either.js'
import { deadLetters, quarantine } from '../../../contracts/topics.ts'
import type { Failure, IncomingRecord } from '../../domain/ports.ts'
import type { ReadTopic } from '../../kafka/read-topic.ts'
import type { Redrives } from '../../mongo/redrives.ts'
import { table } from '../../shared/table.ts'
import { type Filters, matches, partOf } from './filters.ts'
import { type Letter, memoryIdOf, readLetter } from './letter.ts'
import { newest } from './newest.ts'
import { letterHead, letterRow, listedLetter, listedRequest, quarantineHead, quarantineRow, type Row } from './rows.ts'

/** What was found, oldest first, as values and as the lines of a table. */
export type Listing = {
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
  const letters = newest<Letter>(limit, ({ failedAt }) => Date.parse(failedAt))
  let unreadable = 0
  const onSlice = async (records: ReadonlyArray<IncomingRecord>) => {
    for (const record of records) {
      const letter = readLetter(record)
      if (E.isLeft(letter)) unreadable++
      else if (isMeant(letter.right)) letters.add(letter.right)
    }
  }
  const read = await readTopic(deadLetters.name, onSlice, { part: partOf(filters.id), signal })
  if (E.isLeft(read)) return read
  const shown = letters.items()
  // The letters can be looked at while MongoDB is away.
  const sent = await findRedrives(shown.map(memoryIdOf)).catch(() => undefined)
  const listed = shown.map((letter) => listedLetter(letter, sent && (sent.get(memoryIdOf(letter)) ?? [])))
  const lines = [
    ...tableOf(letterHead, listed.map(letterRow), letters.count(), 'dead letters'),
    ...(unreadable > 0 ? [`records without the headers of a dead letter, not listed: ${unreadable}`] : []),
    ...(sent === undefined ? ['MongoDB does not answer: which of them were redriven is not known'] : []),
  ]
  return E.right({ count: letters.count(), listed, lines })
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
