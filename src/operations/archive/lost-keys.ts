import * as E from 'fp-ts/lib/Either.js'
import { archiveNameOf, eventTopics } from '../../../contracts/topics.ts'
import { lostAmong } from '../../archive/data-keys.ts'
import { keysWanted } from '../../archive/restore.ts'
import type { ArchiveKeys, IncomingRecord } from '../../domain/ports.ts'
import type { KafkaRoom } from '../../kafka/kafka.ts'
import { printable } from '../../shared/printable.ts'

/** The unreadable records of one record key: their count, and when Kafka received the first and the last one. */
type Lost = {
  readonly id: string
  readonly kids: ReadonlySet<string>
  readonly records: number
  readonly first: number
  readonly last: number
}

/** The data keys that the archive needs and MongoDB lacks although they were not erased. */
export const findLost = async (
  kafka: Pick<KafkaRoom, 'readTopic'>,
  keys: Pick<ArchiveKeys, 'find'>,
  signal: AbortSignal,
): Promise<ReadonlyArray<Lost>> => {
  const found = new Map<string, Lost>()
  for (const { name } of eventTopics) {
    const archive = archiveNameOf(name)
    const take = async (records: ReadonlyArray<IncomingRecord>) => {
      for (const { id, kid, timestamp } of await lostAmong(keys, keysWanted(records))) {
        const { kids = [], records: before = 0, first = timestamp, last = timestamp } = found.get(id) ?? {}
        found.set(id, {
          id,
          kids: new Set([...kids, kid]),
          records: before + 1,
          first: Math.min(first, timestamp),
          last: Math.max(last, timestamp),
        })
      }
    }
    const read = await kafka.readTopic(archive, take, { signal })
    if (E.isLeft(read)) throw new Error(`${archive}: ${read.left.reason}`)
    if (signal.aborted) throw new Error('it was interrupted')
  }
  return [...found.values()]
}

const shownAtMost = 20

export const linesOfLost = (lost: ReadonlyArray<Lost>): ReadonlyArray<string> => {
  const iso = (ms: number) => new Date(ms).toISOString()
  const shown = lost.slice(0, shownAtMost).map(({ id, records, first, last }) => {
    const [topic, key] = [id.slice(0, id.indexOf('/')), id.slice(id.indexOf('/') + 1)]
    return `${topic}  ${printable(key)}  records: ${records}, from ${iso(first)} to ${iso(last)}`
  })
  const count = (of: (each: Lost) => number) => lost.reduce((sum, each) => sum + of(each), 0)
  const [kids, records] = [count((each) => each.kids.size), count((each) => each.records)]
  return [
    ...shown,
    ...(lost.length > shown.length ? [`and ${lost.length - shown.length} more`] : []),
    `Data keys that MongoDB lacks: ${kids}. Archived records whose personal data cannot be read: ${records}.`,
  ]
}
