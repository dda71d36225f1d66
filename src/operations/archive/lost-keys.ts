import * as E from 'fp-ts/lib/Either.js'
import { archiveNameOf, eventTopics } from '../../../contracts/topics.ts'
import { lostAmong } from '../../archive/data-keys.ts'
import { keysWanted } from '../../archive/restore.ts'
import type { ArchiveKeys, IncomingRecord } from '../../domain/ports.ts'
import type { KafkaRoom } from '../../kafka/kafka.ts'
import { printable } from '../../shared/printable.ts'
import { notRecorded, type RecordAction } from '../audit.ts'

type Deps = {
  readonly kafka: Pick<KafkaRoom, 'readTopic'>
  readonly keys: Pick<ArchiveKeys, 'find' | 'acceptLoss'>
  readonly recordAction: RecordAction
  readonly say: (line: string) => void
  readonly signal: AbortSignal
}

/** The unreadable records of one record key: their count, and when Kafka received the first and the last one. */
type Lost = {
  readonly id: string
  readonly kids: ReadonlySet<string>
  readonly records: number
  readonly first: number
  readonly last: number
}

const findLost = async ({ kafka, keys, signal }: Deps): Promise<ReadonlyArray<Lost>> => {
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

const linesOf = (lost: ReadonlyArray<Lost>): ReadonlyArray<string> => {
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

/**
 * Reports the data keys that MongoDB lacks although they were not erased. With `accept` they count as erased, so the
 * archiver and a rebuild continue without what they have encrypted. Returns the exit code of the process.
 */
export const lostKeys = async (deps: Deps, accept: boolean): Promise<number> => {
  const { keys, recordAction, say } = deps
  const lost = await findLost(deps)
  if (lost.length === 0) {
    say('MongoDB has every data key that the archive needs.')
    return 0
  }
  for (const line of linesOf(lost)) say(line)
  if (!accept) {
    say('Restore the collection archive_keys from a newer copy. If no copy has them: archive keys --accept-loss')
    return 1
  }
  const detail = `archive keys, accept-loss of ${lost.length} chats or clients`
  const recorded = await recordAction({ action: 'erase', detail })
  if (E.isLeft(recorded)) {
    say(notRecorded(recorded.left))
    return 1
  }
  await keys.acceptLoss(lost)
  say('Accepted: these records count as erased from now on. The archiver continues by itself.')
  return 0
}
