import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import * as E from 'fp-ts/lib/Either.js'
import { archiveNameOf, botConversations, type TopicName } from '../../../contracts/topics.ts'
import { silenceMs } from '../../../contracts/views/session.ts'
import { archiveReader } from '../../bridge/archive/reader.ts'
import { archivedPlace, type Restore } from '../../bridge/archive/restore.ts'
import type { OffsetRange } from '../../bridge/domain/log/positions.ts'
import type { IncomingRecord } from '../../bridge/domain/log/record.ts'
import type { KafkaPorts } from '../../bridge/kafka/kafka.ts'
import type { PartOf, ReadTopic } from '../../bridge/kafka/read-topic.ts'

type Slices = AsyncGenerator<ReadonlyArray<IncomingRecord>>

type Part = { readonly from: number; readonly to: number }
type Parts = ReadonlyMap<number, Part>

/** By topic, which records are read of each partition: from `from` to before `to`. */
export type Offsets = ReadonlyMap<string, Parts>

export type LoggedRecords = {
  /** Partition after partition, each in the order of the log. */
  readonly slices: Slices
  readonly offsets: Offsets
  /** Records so far, of those that are read. */
  readonly progress: () => { readonly done: number; readonly total: number }
  /** Archived records that differ from what was archived, or whose key is lost. */
  readonly unreadable: () => number
}

export type LogAccess = {
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

/** A topic's records slice by slice, partition after partition. It reads on when the next slice is asked for. */
const readSlices = (
  readTopic: ReadTopic,
  topic: TopicName,
  part: PartOf,
  signal: AbortSignal,
): AsyncIterable<ReadonlyArray<IncomingRecord>> => {
  const ending = new AbortController()
  const slices = new PassThrough({ objectMode: true, highWaterMark: 1 })
  slices.once('close', () => ending.abort())
  const take = async (records: ReadonlyArray<IncomingRecord>) => {
    if (!slices.write(records)) await once(slices, 'drain', { signal: ending.signal })
  }
  readTopic(topic, take, { part, signal: AbortSignal.any([signal, ending.signal]) }).then(
    (read) => {
      if (E.isLeft(read)) slices.destroy(new Error(`${topic}: ${read.left.reason}`))
      else if (signal.aborted) slices.destroy(new Error('it was interrupted'))
      else slices.end()
    },
    (error: Error) => slices.destroy(error),
  )
  return slices
}

/** From where each partition is read. The archive is read where the topic no longer has all records since then. */
const planOf = async (
  { kafka }: LogAccess,
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
    if (first > 0 || (oldest && archivedPlace(oldest)?.topicId !== present))
      archived.set(partition, { from: start, to: high })
  }
  return { plain, archived }
}

/** Archive and topic, partition after partition, with the archive of a partition before the partition itself. */
async function* inOrder(archived: Slices, current: Slices): Slices {
  try {
    let [old, now] = [await archived.next(), await current.next()]
    while (!old.done || !now.done) {
      const partitionOf = ({ done, value }: typeof old) => (done ? Infinity : (value[0]?.partition ?? 0))
      if (!old.done && partitionOf(old) <= partitionOf(now)) {
        yield old.value
        old = await archived.next()
      } else if (!now.done) {
        yield now.value
        now = await current.next()
      }
    }
  } finally {
    await Promise.all([archived.return(undefined), current.return(undefined)])
  }
}

/** A chat is given without a record whose key is lost. */
const withoutLost =
  (restore: Restore): Restore =>
  async (archived) =>
    (await restore(archived)).map((found) =>
      found.kind === 'lost' ? { kind: 'corrupt', archived: found.archived, detail: found.detail } : found,
    )

/**
 * The records of bot-conversations that are needed for the chats since `from`: archive and topic as one log. They begin
 * a day earlier, because after a day of silence a new session begins.
 */
export const loggedRecords = async (deps: LogAccess, from: number): Promise<LoggedRecords> => {
  const { kafka, restore, signal } = deps
  const since = from - silenceMs
  const present = (await kafka.topicIds([topic])).get(topic) ?? ''
  const { plain, archived } = await planOf(deps, since, present)
  if (archived.size > 0 && restore === undefined)
    throw new Error(`${topic}: its first records are only in the archive, and ARCHIVE_KEY_FILE is not set`)
  let [done, unreadable] = [0, 0]

  async function* restored(): Slices {
    if (archived.size === 0 || restore === undefined) return
    const reader = archiveReader(withoutLost(restore))
    for await (const records of readSlices(kafka.readTopic, archive, partOf(archived), signal)) {
      const found: IncomingRecord[] = []
      for (const each of await reader.read(records)) {
        if (each.kind === 'corrupt') unreadable++
        if (each.kind !== 'record') continue
        const { record, topicId } = each
        // The topic may still have it.
        if (topicId === present && record.offset >= (plain.get(record.partition)?.from ?? 0)) continue
        if (record.timestamp >= since) found.push(record)
      }
      done += records.length
      if (found.length > 0) yield found
    }
  }
  async function* current(): Slices {
    for await (const records of readSlices(kafka.readTopic, topic, partOf(plain), signal)) {
      done += records.length
      yield records
    }
  }

  return {
    slices: inOrder(restored(), current()),
    offsets: new Map([[topic, plain], ...(archived.size > 0 ? [[archive, archived] as const] : [])]),
    progress: () => ({ done, total: total(plain) + total(archived) }),
    unreadable: () => unreadable,
  }
}
