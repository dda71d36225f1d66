import * as E from 'fp-ts/lib/Either.js'
import type { TopicName } from '../../../contracts/topics.ts'
import type { Failure, IncomingRecord } from '../../domain/ports.ts'
import type { ReadTopic } from '../../kafka/read-topic.ts'
import { printable, printableLines } from '../../shared/printable.ts'
import { partOf } from './filters.ts'
import { placeOf } from './letter.ts'

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
