import * as E from 'fp-ts/lib/Either.js'
import { deadLetters, quarantine } from '../../../contracts/topics.ts'
import type { IncomingRecord } from '../../domain/ports.ts'
import type { ReadTopic } from '../../kafka/read-topic.ts'
import { printable, printableLines } from '../../shared/printable.ts'
import { utf8Text } from '../../shared/utf8.ts'
import { commandText, notRecorded, ofAccount, type RecordAction } from '../audit.ts'
import { accountOf, partOf, placeOf } from './dead-letters.ts'

type Ports = {
  readonly readTopic: ReadTopic
  readonly recordAction: RecordAction
  /** The accounts that may be named on the topic `audit`. Other keys may contain anything. */
  readonly accounts: ReadonlyArray<{ readonly id: string }>
}
type Which = {
  /** Its place: `partition/offset`. */
  readonly id: string
  readonly quarantine: boolean
  /** If given, the account in the record's key must fit. */
  readonly isOf?: (account: string) => boolean
  readonly signal?: AbortSignal
}

/** Returns a record of dead-letters or quarantine after this access is recorded on `audit`. */
export const showRecord = async (
  { readTopic, recordAction, accounts }: Ports,
  { id, isOf = () => true, signal, ...other }: Which,
): Promise<E.Either<{ readonly kind: 'absent' | 'unavailable'; readonly reason: string }, IncomingRecord>> => {
  const { name } = other.quarantine ? quarantine : deadLetters
  const places: IncomingRecord[] = []
  const onSlice = async (records: ReadonlyArray<IncomingRecord>) =>
    void places.push(...records.filter((record) => placeOf(record) === id))
  const read = await readTopic(name, onSlice, { part: partOf([id]), ...(signal && { signal }) })
  if (E.isLeft(read)) return E.left({ kind: 'unavailable', reason: `Kafka: ${read.left.reason}` })
  if (signal?.aborted) return E.left({ kind: 'unavailable', reason: 'Kafka: it was not read in time' })
  const [record] = places
  if (record === undefined || !isOf(accountOf(record)))
    return E.left({ kind: 'absent', reason: `${name} has no record at ${id}, or has deleted it.` })
  const known = accounts.find((each) => each.id === accountOf(record))
  const recorded = await recordAction({
    action: 'unmask',
    detail: commandText('redrive show', { id, quarantine: other.quarantine }),
    ...ofAccount(known?.id),
  })
  return E.isLeft(recorded) ? E.left({ kind: 'unavailable', reason: notRecorded(recorded.left) }) : E.right(record)
}

const textOf = (bytes: Buffer | null, render: (text: string) => string): string => {
  if (bytes === null) return '(null)'
  const text = utf8Text(bytes)
  return text === undefined ? `hex ${bytes.toString('hex')}` : render(text)
}

/** A record as lines for a terminal: text if its bytes are UTF-8, otherwise hexadecimal digits. */
export const recordLines = (record: IncomingRecord): ReadonlyArray<string> => [
  `id      ${placeOf(record)}`,
  `stored  ${Number.isFinite(record.timestamp) ? new Date(record.timestamp).toISOString() : '?'}`,
  ...Object.entries(record.headers).map(([name, value]) => `header  ${printable(name)}: ${textOf(value, printable)}`),
  `key     ${textOf(record.key, printable)}`,
  `value   ${record.value?.length ?? 0} bytes`,
  textOf(record.value, printableLines),
]
