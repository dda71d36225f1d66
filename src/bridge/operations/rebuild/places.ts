import { archiveNameOf, audit, botReplies, quarantine, type TopicName } from '../../../../contracts/topics.ts'
import type { OffsetRange } from '../../domain/log/positions.ts'
import { partitionName } from '../../domain/log/record.ts'
import type { KafkaPorts } from '../../kafka/kafka.ts'
import type { Progress } from '../progress.ts'

/** By `<topic>/<partition>`: the offset before which everything is processed. */
export type Positions = ReadonlyMap<string, number>

/** The progress in a partition: the first offset of its log, the next one to process, and the log's end. */
type Place = { readonly first: number; readonly position: number; readonly end: number }
export type Places = ReadonlyMap<string, Place>

/** Where each partition's log begins and ends. */
export type Logs = ReadonlyMap<string, OffsetRange>

/** Topics whose clean-up policy deletes records after a time. */
export const isTemporary = (source: string) =>
  [botReplies, audit, quarantine].some(({ name }) => source.startsWith(`${name}/`))

/** In temporary topics, deleted records do not count. In others, a log that begins beyond the position has a gap. */
export const placesOf = (logs: Logs, positions: Positions): Places =>
  new Map(
    [...logs].map(([source, { low, high }]) => {
      const position = positions.get(source) ?? 0
      return [source, { first: low, position: isTemporary(source) ? Math.max(low, position) : position, end: high }]
    }),
  )

/** A place, and since when it is unchanged, in milliseconds of a monotonic clock. */
export type Watched = Place & { readonly since: number }

export const topicIn = (source: string): string => source.slice(0, source.lastIndexOf('/'))

/** The places, each with the time since which its position and its end are unchanged. */
export const watch = (
  before: ReadonlyMap<string, Watched>,
  places: Places,
  now: number,
): ReadonlyMap<string, Watched> =>
  new Map(
    [...places].map(([source, place]) => {
      const last = before.get(source)
      const stands = last !== undefined && last.position === place.position && last.end === place.end
      return [source, { ...place, since: stands ? last.since : now }]
    }),
  )

const stillMs = 2_000

/**
 * True if everything that was in the logs is processed. The bridge's own topics have records only, so positions reach
 * the ends. Others write bot-replies, maybe in transactions. Transaction markers take offsets and are never read. So in
 * bot-replies a place that is unchanged for two seconds counts as the end.
 */
export const isReached = (places: ReadonlyMap<string, Watched>, now: number): boolean =>
  [...places].every(
    ([source, { position, end, since }]) =>
      position >= end || (source.startsWith(`${botReplies.name}/`) && now - since >= stillMs),
  )

const firstRecordsLost = (logs: Logs): ReadonlyArray<string> =>
  [...logs].flatMap(([source, { low }]) => (low > 0 && !isTemporary(source) ? [source] : []))

const isIn = (archives: Logs, source: string): boolean => {
  const archive = archives.get(archiveNameOf(source))
  return archive !== undefined && archive.low < archive.high
}

/** The partitions of event topics that have lost their first records and have nothing in the archive. */
export const cutOff = (logs: Logs, archives: Logs = new Map()): ReadonlyArray<string> =>
  firstRecordsLost(logs).filter((source) => !isIn(archives, source))

/** The partitions of event topics whose first records only the archive has. */
export const onlyArchived = (logs: Logs, archives: Logs): ReadonlyArray<string> =>
  firstRecordsLost(logs).filter((source) => isIn(archives, source))

/** What `read` says of each partition of the topics. */
const ofPartitions = async <A>(
  topics: ReadonlyArray<TopicName>,
  read: (topic: TopicName) => Promise<ReadonlyMap<number, A>>,
): Promise<ReadonlyMap<string, A>> => {
  const all = topics.map(async (topic) =>
    [...(await read(topic))].map(([partition, value]) => [partitionName({ topic, partition }), value] as const),
  )
  return new Map((await Promise.all(all)).flat())
}

/** Where the logs of the topics begin and end, read after the call. */
export const readLogs = ({ ranges }: Pick<KafkaPorts, 'ranges'>, topics: ReadonlyArray<TopicName>): Promise<Logs> =>
  ofPartitions(topics, ranges)

/** What a group has committed. */
export const committedPositions = (
  { committedOffsets }: Pick<KafkaPorts, 'committedOffsets'>,
  group: string,
  topics: ReadonlyArray<TopicName>,
): Promise<Positions> => ofPartitions(topics, (topic) => committedOffsets(group, topic))

export const progressOf = (places: Places): Progress => {
  let done = 0
  let total = 0
  for (const { first, position, end } of places.values()) {
    done += Math.min(Math.max(position, first), end) - first
    total += end - first
  }
  return { done, total }
}
