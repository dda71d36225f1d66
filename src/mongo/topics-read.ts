import type { Db } from 'mongodb'
import type { TopicName } from '../../contracts/topics.ts'
import type { StoredMarks } from '../domain/log-marks.ts'
import type { LogMark, TopicIds } from '../domain/ports.ts'
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
type TopicRead = {
  /** Undefined while they are made from none of that name. */
  readonly id: string | undefined
  readonly marks: ReadonlyMap<number, LogMark>
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
  /** Records that the state is made from these topics from now on, and forgets the marks of their former logs. */
  readonly remember: (
    state: 'views' | 'enrichments' | 'archive',
    ids: Iterable<readonly [topic: string, id: string]>,
  ) => Promise<void>
  readonly positionsOf: (state: 'views' | 'enrichments') => StoredPositions
  /** Lets the enrichments of new topics replace the present ones, regardless of their offsets. */
  readonly acceptEnrichments: (ids: TopicIds) => Promise<void>
}

const durable = { writeConcern: { w: 'majority' } } as const

export const topicsReadIn = (db: Db): TopicsRead => {
  const collection = db.collection<Document>('topics_read', { readConcern: { level: 'majority' } })
  const remember: TopicsRead['remember'] = async (state, ids) => {
    const fields = Object.fromEntries([...ids].map(([topic, id]) => [`topics.${topic}`, id]))
    if (Object.keys(fields).length === 0) return
    const places = [...ids].flatMap(([topic]) => [`marks.${topic}`, `positions.${topic}`, `unread.${topic}`])
    const update = { $set: fields, $unset: Object.fromEntries(places.map((place) => [place, '' as const])) }
    await rejectAfter(stepMs, collection.updateOne({ _id: state }, update, { upsert: true, ...durable }))
  }
  const find = async (state: string) => (await rejectAfter(stepMs, collection.findOne({ _id: state }))) ?? undefined
  const read = async (state: string, topic: TopicName): Promise<TopicRead> => {
    const { topics, marks, positions, unread } = (await find(state)) ?? {}
    return {
      id: topics?.[topic],
      marks: new Map(Object.entries(marks?.[topic] ?? {}).map(([partition, mark]) => [Number(partition), mark])),
      positionOf: (partition) => positions?.[topic]?.[partition] ?? (unread?.[topic] ? 0 : undefined),
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
      keepPositions: async (reached) => {
        const fields = [...reached].flatMap(([topic, own]) =>
          [...own].map(([partition, offset]) => [`positions.${topic}.${partition}`, offset] as const),
        )
        await rejectAfter(stepMs, collection.updateOne({ _id: state }, { $max: Object.fromEntries(fields) }, durable))
      },
    }),
    acceptEnrichments: async (ids) => {
      await rejectAfter(stepMs, db.collection('enrichments').updateMany({}, { $unset: { applied: '' } }, durable))
      await remember('enrichments', ids)
    },
  }
}
