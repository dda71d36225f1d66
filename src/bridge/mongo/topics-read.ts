import type { Db } from 'mongodb'
import type { TopicName } from '../../../contracts/topics.ts'
import type { LogMark, Position, StoredMarks, TopicIds } from '../domain/log/positions.ts'
import type { PositionOf, StoredPositions } from '../views/positions.ts'
import { rejectAfter, stepMs } from './client.ts'

/**
 * A position as a value that MongoDB compares as `furthest` does: documents field by field, and a number, which is a
 * position without an epoch, is less than any document. So the epoch must be the first field, and `$max` keeps the
 * greater one.
 */
type StoredPosition = number | { readonly epoch: number; readonly offset: number }
const stored = ({ epoch, offset }: Position): StoredPosition => (epoch === undefined ? offset : { epoch, offset })
const positionIn = (found: StoredPosition): Position => (typeof found === 'number' ? { offset: found } : found)

type Document = {
  readonly _id: string
  readonly topics?: Readonly<Record<string, string>>
  /** By topic and partition (domain/log-marks.ts). */
  readonly marks?: Readonly<Record<string, Readonly<Record<string, LogMark>>>>
  /** By topic and partition (views/positions.ts). */
  readonly positions?: Readonly<Record<string, Readonly<Record<string, StoredPosition>>>>
  /** The topics of which nothing was read before their positions were stored. */
  readonly unread?: Readonly<Record<string, true>>
}

/** What is known of the topic from which the views or the enrichments are made. */
export type TopicRead = {
  /** Undefined while they are made from none of that name. */
  readonly id: string | undefined
  readonly marks: ReadonlyMap<number, LogMark>
  /** The position after the last record that they have, of each partition where it is known. */
  readonly reached: ReadonlyMap<number, Position>
  readonly positionOf: PositionOf
}

/**
 * The ids of the topics that the views and the enrichments were made from, and of the archive's. Offsets have no
 * meaning in another topic.
 */
export type TopicsRead = StoredMarks & {
  readonly inViews: (topic: TopicName) => Promise<TopicRead>
  /**
   * The topics with another id than the stored one. Stores the ids of topics that have none stored: nothing was read of
   * them yet.
   */
  readonly changed: (state: 'views' | 'enrichments' | 'archive', ids: TopicIds) => Promise<ReadonlyArray<TopicName>>
  /**
   * Records that the state is made from these topics from now on, up to these positions at least. Forgets the marks of
   * their former logs.
   */
  readonly remember: (
    state: 'views' | 'enrichments' | 'archive',
    ids: Iterable<readonly [topic: string, id: string]>,
    reached?: Reached,
  ) => Promise<void>
  readonly positionsOf: (state: 'views' | 'enrichments') => StoredPositions
  /** Lets the enrichments of new topics replace the present ones, regardless of their offsets. */
  readonly acceptEnrichments: (ids: TopicIds) => Promise<void>
}

/** The position after the last record that is known to be read, by topic and partition. */
type Reached = ReadonlyMap<string, ReadonlyMap<number, Position>>

const ofPartitions = <A>(found: Readonly<Record<string, A>> = {}): ReadonlyMap<number, A> =>
  new Map(Object.entries(found).map(([partition, value]) => [Number(partition), value]))

const durable = { writeConcern: { w: 'majority' } } as const

export const topicsReadIn = (db: Db): TopicsRead => {
  const collection = db.collection<Document>('topics_read', { readConcern: { level: 'majority' } })
  const find = async (state: string) => (await rejectAfter(stepMs, collection.findOne({ _id: state }))) ?? undefined
  const keepPositions = async (state: string, reached: Reached) => {
    const fields = [...reached].flatMap(([topic, own]) =>
      [...own].map(([partition, position]) => [`positions.${topic}.${partition}`, stored(position)] as const),
    )
    if (fields.length === 0) return
    await rejectAfter(stepMs, collection.updateOne({ _id: state }, { $max: Object.fromEntries(fields) }, durable))
  }
  const remember: TopicsRead['remember'] = async (state, ids, reached = new Map()) => {
    const all = [...ids]
    if (all.length === 0) return
    const { topics = {} } = (await find(state)) ?? {}
    const fields = all.flatMap(([topic, id]) => {
      const own = [...(reached.get(topic) ?? [])].map(([partition, position]) => [partition, stored(position)] as const)
      // Those that are given replace the former ones, which may be of a log that Kafka has lost. Who has read on
      // meanwhile reads some records again.
      const positions =
        topics[topic] === id
          ? own.map(([partition, position]) => [`positions.${topic}.${partition}`, position] as const)
          : [[`positions.${topic}`, Object.fromEntries(own)] as const]
      return [[`topics.${topic}`, id] as const, ...positions]
    })
    const update = {
      $set: Object.fromEntries(fields),
      $unset: Object.fromEntries(
        all.flatMap(([topic]) => [`marks.${topic}`, `unread.${topic}`].map((at) => [at, '' as const])),
      ),
    }
    await rejectAfter(stepMs, collection.updateOne({ _id: state }, update, { upsert: true, ...durable }))
  }
  const read = async (state: string, topic: TopicName): Promise<TopicRead> => {
    const { topics, marks, positions, unread } = (await find(state)) ?? {}
    const found = Object.entries(positions?.[topic] ?? {})
    const reached = new Map(found.map(([partition, position]) => [Number(partition), positionIn(position)]))
    return {
      id: topics?.[topic],
      marks: ofPartitions(marks?.[topic]),
      reached,
      positionOf: (partition) => reached.get(partition) ?? (unread?.[topic] ? { offset: 0 } : undefined),
    }
  }
  return {
    inViews: (topic) => read('views', topic),
    marks: async (topic) => (await read('views', topic)).marks,
    keepMark: async (topic, partition, mark) => {
      // A reader that no longer owns the partition has no newer epoch.
      const { epoch, ...rest } = mark
      const update = { $max: { [`marks.${topic}.${partition}`]: { epoch, ...rest } } }
      await rejectAfter(stepMs, collection.updateOne({ _id: 'views' }, update, { upsert: true, ...durable }))
    },
    changed: async (state, ids) => {
      const { topics = {} } = (await find(state)) ?? {}
      const unread = [...ids].filter(([topic]) => topics[topic] === undefined)
      const fields = unread.flatMap(([topic, id]) => [
        [`topics.${topic}`, id],
        [`unread.${topic}`, true],
      ])
      if (fields.length > 0) {
        const update = { $set: Object.fromEntries(fields) }
        await rejectAfter(stepMs, collection.updateOne({ _id: state }, update, { upsert: true, ...durable }))
      }
      return [...ids].flatMap(([topic, id]) => (topics[topic] === undefined || topics[topic] === id ? [] : [topic]))
    },
    remember,
    positionsOf: (state) => ({
      positions: async (topic) => (await read(state, topic)).positionOf,
      keepPositions: (reached) => keepPositions(state, reached),
    }),
    acceptEnrichments: async (ids) => {
      await rejectAfter(stepMs, db.collection('enrichments').updateMany({}, { $unset: { applied: '' } }, durable))
      await remember('enrichments', ids)
    },
  }
}
