import type { Db } from 'mongodb'
import type { TopicName } from '../../../contracts/topics.ts'
import type { StoredMarks } from '../domain/log/marks.ts'
import type { LogMark, TopicIds } from '../domain/log/positions.ts'
import type { PositionOf, StoredPositions } from '../views/positions.ts'
import { rejectAfter, stepMs } from './client.ts'

type Document = {
  readonly _id: string
  readonly topics?: Readonly<Record<string, string>>
  /** By topic and partition (domain/log-marks.ts). */
  readonly marks?: Readonly<Record<string, Readonly<Record<string, LogMark>>>>
  /** By topic and partition (views/positions.ts). */
  readonly positions?: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** The topics of which nothing was read before their positions were stored. */
  readonly unread?: Readonly<Record<string, true>>
}

/** What is known of the topic from which the views or the enrichments are made. */
export type TopicRead = {
  /** Undefined while they are made from none of that name. */
  readonly id: string | undefined
  readonly marks: ReadonlyMap<number, LogMark>
  /** The offset after the last record that they have, of each partition where it is known. */
  readonly reached: ReadonlyMap<number, number>
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
   * Records that the state is made from these topics from now on, up to these offsets at least. Forgets the marks of
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

/** The offset after the last record that is known to be read, by topic and partition. */
type Reached = ReadonlyMap<string, ReadonlyMap<number, number>>

const ofPartitions = <A>(stored: Readonly<Record<string, A>> = {}): ReadonlyMap<number, A> =>
  new Map(Object.entries(stored).map(([partition, value]) => [Number(partition), value]))

const durable = { writeConcern: { w: 'majority' } } as const

export const topicsReadIn = (db: Db): TopicsRead => {
  const collection = db.collection<Document>('topics_read', { readConcern: { level: 'majority' } })
  const find = async (state: string) => (await rejectAfter(stepMs, collection.findOne({ _id: state }))) ?? undefined
  /** Never moves a position back. */
  const keepPositions = async (state: string, reached: Reached) => {
    const fields = [...reached].flatMap(([topic, own]) =>
      [...own].map(([partition, offset]) => [`positions.${topic}.${partition}`, offset] as const),
    )
    if (fields.length === 0) return
    await rejectAfter(stepMs, collection.updateOne({ _id: state }, { $max: Object.fromEntries(fields) }, durable))
  }
  const remember: TopicsRead['remember'] = async (state, ids, reached = new Map()) => {
    const all = [...ids]
    if (all.length === 0) return
    const { topics = {} } = (await find(state)) ?? {}
    // Of the same topic the positions still count: somebody may have read on.
    const others = all.filter(([topic, id]) => topics[topic] !== id)
    const places = [
      ...all.flatMap(([topic]) => [`marks.${topic}`, `unread.${topic}`]),
      ...others.map(([topic]) => `positions.${topic}`),
    ]
    const update = {
      $set: Object.fromEntries(all.map(([topic, id]) => [`topics.${topic}`, id])),
      $unset: Object.fromEntries(places.map((place) => [place, '' as const])),
    }
    await rejectAfter(stepMs, collection.updateOne({ _id: state }, update, { upsert: true, ...durable }))
    await keepPositions(state, reached)
  }
  const read = async (state: string, topic: TopicName): Promise<TopicRead> => {
    const { topics, marks, positions, unread } = (await find(state)) ?? {}
    const reached = ofPartitions(positions?.[topic])
    return {
      id: topics?.[topic],
      marks: ofPartitions(marks?.[topic]),
      reached,
      positionOf: (partition) => reached.get(partition) ?? (unread?.[topic] ? 0 : undefined),
    }
  }
  return {
    inViews: (topic) => read('views', topic),
    marks: async (topic) => (await read('views', topic)).marks,
    keepMark: async (topic, partition, mark) => {
      const update = { $set: { [`marks.${topic}.${partition}`]: mark } }
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
