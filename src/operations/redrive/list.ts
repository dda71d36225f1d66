import * as E from 'fp-ts/lib/Either.js'
import { deadLetters, quarantine } from '../../../contracts/topics.ts'
import type { Failure, IncomingRecord } from '../../domain/ports.ts'
import type { ReadTopic } from '../../kafka/read-topic.ts'
import type { Redrives } from '../../mongo/redrives.ts'
import { table } from '../../shared/table.ts'
import { type Filters, matches, partOf } from './filters.ts'
import { type Letter, memoryIdOf, readLetter } from './letter.ts'
import { newest } from './newest.ts'
import { letterHead, letterRow, quarantineHead, quarantineRow, type Row } from './rows.ts'

type Lines = Promise<E.Either<Failure, ReadonlyArray<string>>>

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
): Lines => {
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
  return E.right([
    ...tableOf(
      letterHead,
      shown.map((letter) => letterRow(letter, sent && (sent.get(memoryIdOf(letter)) ?? []))),
      letters.count(),
      'dead letters',
    ),
    ...(unreadable > 0 ? [`records without the headers of a dead letter, not listed: ${unreadable}`] : []),
    ...(sent === undefined ? ['MongoDB does not answer: which of them were redriven is not known'] : []),
  ])
}

/** The newest requests in quarantine, the oldest first, and how many there are. */
export const listQuarantine = async (
  { readTopic }: Pick<Ports, 'readTopic'>,
  limit: number,
  signal: AbortSignal,
): Lines => {
  const rows = newest<{ readonly at: number; readonly row: Row }>(limit, ({ at }) => at)
  const onSlice = async (records: ReadonlyArray<IncomingRecord>) => {
    for (const record of records) rows.add({ at: record.timestamp, row: quarantineRow(record) })
  }
  const read = await readTopic(quarantine.name, onSlice, { signal })
  if (E.isLeft(read)) return read
  const shown = rows.items().map(({ row }) => row)
  return E.right(tableOf(quarantineHead, shown, rows.count(), 'requests in quarantine'))
}
