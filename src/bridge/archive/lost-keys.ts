import type { EventTopicName, TopicName } from '../../../contracts/topics.ts'
import type { ArchiveKeys } from '../domain/archive-keys.ts'
import type { LogPlace, Ranges, TopicIds } from '../domain/log/positions.ts'
import { type IncomingRecord, partitionName, type Slice } from '../domain/log/record.ts'
import { lostAmong } from './data-keys.ts'
import { archivedOf } from './restore.ts'

/** Archived records of one record key that nobody can open, because MongoDB has lost their data key. */
export type LostRecords = {
  readonly id: string
  readonly kid: string
  readonly records: number
  /** When Kafka received the first and the last one. */
  readonly first: number
  readonly last: number
  /** They are all before these places. */
  readonly before: ReadonlyArray<LogPlace>
}

/** By partition, the records that the topic still has although their archived copies cannot be opened. */
export type Again = ReadonlyMap<number, { readonly from: number; readonly to: number }>

export type LostOfTopic = { readonly lost: ReadonlyArray<LostRecords>; readonly again: Again }

/** What the archiver has to archive again, or why it must not archive at all. */
export type LostKeys = { readonly refusal: string } | { readonly again: ReadonlyMap<EventTopicName, Again> }

type Unopened = { readonly id: string; readonly kid: string; readonly place: LogPlace; readonly timestamp: number }

const textOf = ({ topicId, partition, offset }: LogPlace) => `${topicId}/${partition}/${offset}`

const byKey = (unopened: ReadonlyArray<Unopened>): ReadonlyArray<LostRecords> =>
  [...Map.groupBy(unopened, ({ id, kid }) => `${kid} ${id}`).values()].flatMap((those) => {
    const [one] = those
    if (one === undefined) return []
    const logs = [...Map.groupBy(those, ({ place }) => `${place.topicId}/${place.partition}`).values()]
    const before = logs.flatMap((own) => {
      const [first] = own
      const end = own.reduce((highest, { place }) => Math.max(highest, place.offset + 1), 0)
      return first === undefined ? [] : [{ ...first.place, offset: end }]
    })
    const { id, kid } = one
    const first = those.reduce((time, { timestamp }) => Math.min(time, timestamp), one.timestamp)
    const last = those.reduce((time, { timestamp }) => Math.max(time, timestamp), one.timestamp)
    return [{ id, kid, records: those.length, first, last, before }]
  })

/**
 * The records of an archive topic that nobody can open because MongoDB has lost their keys, as after a restore of an
 * older copy. A record that the archive has again further on, in a readable copy, is not lost. A record that its topic
 * still has can be archived again.
 */
export const lostOf = async (
  {
    keys,
    ranges,
    topicIds,
    read,
  }: {
    readonly keys: Pick<ArchiveKeys, 'find'>
    readonly ranges: Ranges
    readonly topicIds: (topics: ReadonlyArray<TopicName>) => Promise<TopicIds>
    /** Reads an archive topic, or the part of it that may have lost keys. */
    readonly read: (
      topic: EventTopicName,
      onSlice: (records: ReadonlyArray<IncomingRecord>) => Promise<void>,
    ) => Promise<void>
  },
  topic: EventTopicName,
): Promise<LostOfTopic> => {
  const unopened = new Map<string, Unopened>()
  await read(topic, async (records) => {
    const archived = archivedOf(records)
    const lost = new Set(
      await lostAmong(
        keys,
        archived.flatMap(({ wanted }) => wanted ?? []),
      ),
    )
    for (const { place, timestamp, wanted } of archived)
      if (wanted !== undefined && lost.has(wanted)) unopened.set(textOf(place), { ...wanted, timestamp })
      else unopened.delete(textOf(place))
  })
  if (unopened.size === 0) return { lost: [], again: new Map() }
  const topicId = (await topicIds([topic])).get(topic)
  const known = await ranges(topic)
  const isThere = ({ place }: Unopened) => {
    const { low = 0, high = 0 } = known.get(place.partition) ?? {}
    return place.topicId === topicId && low <= place.offset && place.offset < high
  }
  const all = [...unopened.values()]
  const again = [...Map.groupBy(all.filter(isThere), ({ place }) => place.partition)].map(([partition, those]) => {
    const offsets = those.map(({ place }) => place.offset)
    const from = offsets.reduce((a, b) => Math.min(a, b))
    return [partition, { from, to: offsets.reduce((a, b) => Math.max(a, b)) + 1 }] as const
  })
  return { lost: byKey(all.filter((each) => !isThere(each))), again: new Map(again) }
}

/** What is to be archived again, because MongoDB has lost the keys of its copies. It is not known at first. */
export const archiveAgain = () => {
  let ranges: Map<string, { from: number; readonly to: number }> | undefined
  /** The first offset of a partition that is to be archived again. */
  const from = (topic: string, partition: number): number | undefined =>
    ranges?.get(partitionName({ topic, partition }))?.from
  return {
    from,
    isKnown: (): boolean => ranges !== undefined,
    begin: (found: ReadonlyMap<string, Again>): void => {
      ranges = new Map(
        [...found].flatMap(([topic, ofTopic]) =>
          [...ofTopic].map(([partition, range]) => [partitionName({ topic, partition }), { ...range }] as const),
        ),
      )
    },
    archived: ({ topic, partition, records }: Slice): void => {
      const range = ranges?.get(partitionName({ topic, partition }))
      if (range === undefined) return
      range.from = Math.max(range.from, (records.at(-1)?.offset ?? -1) + 1)
      if (range.from >= range.to) ranges?.delete(partitionName({ topic, partition }))
    },
    /**
     * The offsets up to which the archive has readable copies, of those that the group has committed. None while it is
     * not known which copies cannot be read.
     */
    readableTo: (topic: TopicName, done: ReadonlyMap<number, number>): ReadonlyMap<number, number> =>
      new Map(
        ranges === undefined
          ? []
          : [...done].map(([partition, offset]) => [partition, Math.min(offset, from(topic, partition) ?? offset)]),
      ),
  }
}
