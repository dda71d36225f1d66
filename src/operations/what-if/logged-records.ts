import { archiveNameOf, botConversations } from '../../../contracts/topics.ts'
import { silenceMs } from '../../../contracts/views/session.ts'
import { archivedPlace, type Restore } from '../../archive/restore.ts'
import type { IncomingRecord, OffsetRange } from '../../domain/ports.ts'
import type { KafkaPorts } from '../../kafka/kafka.ts'
import { readSlices } from './read-slices.ts'

type Part = { readonly from: number; readonly to: number }
type Parts = ReadonlyMap<number, Part>

/** By topic, which records are read of each partition: from `from` to before `to`. */
export type Offsets = ReadonlyMap<string, Parts>

export type LoggedRecords = {
  /** Partition after partition, each in the order of the log. */
  readonly slices: AsyncGenerator<ReadonlyArray<IncomingRecord>>
  readonly offsets: Offsets
  /** Records so far, of those that are read. */
  readonly progress: () => { readonly done: number; readonly total: number }
  /** Archived records that differ from what was archived, or whose key is lost. */
  readonly unreadable: () => number
}

export type RecordsDeps = {
  readonly kafka: Pick<KafkaPorts, 'ranges' | 'readTopic' | 'offsetsAt' | 'topicIds' | 'fetchRecord'>
  /** Undefined if ARCHIVE_KEY_FILE is not set. */
  readonly restore: Restore | undefined
  readonly signal: AbortSignal
}

const topic = botConversations.name
const archive = archiveNameOf(topic)

const total = (parts: Parts): number =>
  [...parts.values()].reduce((sum, { from, to }) => sum + Math.max(0, to - from), 0)

const partOf =
  (parts: Parts) =>
  (partition: number, { high }: OffsetRange): OffsetRange => {
    const { from, to } = parts.get(partition) ?? { from: high, to: high }
    return { low: from, high: Math.min(to, high) }
  }

/** From where each partition is read. The archive is read where the topic no longer has all records since then. */
const planOf = async (
  { kafka }: RecordsDeps,
  since: number,
  present: string,
): Promise<{ readonly plain: Parts; readonly archived: Parts }> => {
  const [ranges, starts] = [await kafka.ranges(topic), await kafka.offsetsAt(topic, since)]
  const plain = new Map(
    [...ranges]
      .sort(([a], [b]) => a - b)
      .map(([partition, { low, high }]) => {
        const start = starts.get(partition) ?? high
        return [partition, { from: Math.max(low, start), to: high }]
      }),
  )
  const begun = [...ranges].filter(([partition, { low }]) => (starts.get(partition) ?? 0) <= low)
  if (begun.length === 0) return { plain, archived: new Map() }
  // A record was archived after it was received. So none of these is before that place.
  const [ends, archiveStarts] = [await kafka.ranges(archive), await kafka.offsetsAt(archive, since)]
  const archived = new Map<number, Part>()
  for (const [partition, { low: first }] of begun) {
    const { high = 0, low = 0 } = ends.get(partition) ?? {}
    const start = Math.max(low, archiveStarts.get(partition) ?? high)
    if (start >= high) continue
    // A topic that begins with its first record is whole, unless an earlier topic of this name had others.
    const oldest = first > 0 ? undefined : await kafka.fetchRecord(archive, partition, start)
    if (first > 0 || (oldest && archivedPlace(oldest)?.generation !== present))
      archived.set(partition, { from: start, to: high })
  }
  return { plain, archived }
}

/**
 * The records of bot-conversations that are needed for the chats since `from`: archive and topic as one log. They begin
 * a day earlier, because after a day of silence a new session begins.
 */
export const loggedRecords = async (deps: RecordsDeps, from: number): Promise<LoggedRecords> => {
  const { kafka, restore, signal } = deps
  const since = from - silenceMs
  const present = (await kafka.topicIds([topic])).get(topic) ?? ''
  const { plain, archived } = await planOf(deps, since, present)
  if (archived.size > 0 && restore === undefined)
    throw new Error(`${topic}: its first records are only in the archive, and ARCHIVE_KEY_FILE is not set`)
  let [done, unreadable] = [0, 0]

  async function* restored(): AsyncGenerator<ReadonlyArray<IncomingRecord>> {
    if (archived.size === 0 || restore === undefined) return
    const reached = new Map<string, number>()
    for await (const records of readSlices(kafka.readTopic, archive, partOf(archived), signal)) {
      const found: IncomingRecord[] = []
      for (const each of await restore(records)) {
        if (each.kind === 'corrupt' || each.kind === 'lost') unreadable++
        if (each.kind !== 'record') continue
        const { record, generation } = each
        const place = `${generation} ${record.partition}`
        // The archive may have a record twice, and the topic may still have it.
        if (record.offset < (reached.get(place) ?? 0)) continue
        reached.set(place, record.offset + 1)
        if (generation === present && record.offset >= (plain.get(record.partition)?.from ?? 0)) continue
        if (record.timestamp >= since) found.push(record)
      }
      done += records.length
      if (found.length > 0) yield found
    }
  }
  async function* current(): AsyncGenerator<ReadonlyArray<IncomingRecord>> {
    for await (const records of readSlices(kafka.readTopic, topic, partOf(plain), signal)) {
      done += records.length
      yield records
    }
  }

  /** Both, with the archive of a partition before the partition itself. */
  async function* slices(): AsyncGenerator<ReadonlyArray<IncomingRecord>> {
    const [old, now] = [restored(), current()]
    try {
      let [one, other] = [await old.next(), await now.next()]
      while (one.done !== true || other.done !== true) {
        const [before, after] = [one.done ? undefined : one.value, other.done ? undefined : other.value]
        const isOld =
          before !== undefined && (after === undefined || (before[0]?.partition ?? 0) <= (after[0]?.partition ?? 0))
        yield (isOld ? before : after) ?? []
        if (isOld) one = await old.next()
        else other = await now.next()
      }
    } finally {
      await Promise.all([old.return(undefined), now.return(undefined)])
    }
  }

  return {
    slices: slices(),
    offsets: new Map([[topic, plain], ...(archived.size > 0 ? [[archive, archived] as const] : [])]),
    progress: () => ({ done, total: total(plain) + total(archived) }),
    unreadable: () => unreadable,
  }
}
