import type { Db } from 'mongodb'
import type { TopicName } from '../../contracts/topics.ts'
import type { TopicIds } from '../domain/ports.ts'
import { within } from './client.ts'

type Document = { readonly _id: string; readonly topics: Readonly<Record<string, string>> }

/**
 * The ids of the topics that the views and the enrichments were made from, and of the archive's. Offsets have no
 * meaning in another topic.
 */
export type TopicsRead = {
  /** The topics with another id than the stored one. Stores the ids of topics that have none stored. */
  readonly changed: (state: 'views' | 'enrichments' | 'archive', ids: TopicIds) => Promise<ReadonlyArray<TopicName>>
  /** Records that the state is made from these topics from now on. */
  readonly remember: (
    state: 'views' | 'enrichments' | 'archive',
    ids: Iterable<readonly [topic: string, id: string]>,
  ) => Promise<void>
  /** Lets the enrichments of new topics replace the present ones, regardless of their offsets. */
  readonly acceptEnrichments: (ids: TopicIds) => Promise<void>
}

const stepMs = 10_000
const durable = { writeConcern: { w: 'majority' } } as const

export const topicsReadIn = (db: Db): TopicsRead => {
  const collection = db.collection<Document>('topics_read', { readConcern: { level: 'majority' } })
  const remember: TopicsRead['remember'] = async (state, ids) => {
    const fields = Object.fromEntries([...ids].map(([topic, id]) => [`topics.${topic}`, id]))
    if (Object.keys(fields).length === 0) return
    await within(stepMs, collection.updateOne({ _id: state }, { $set: fields }, { upsert: true, ...durable }))
  }
  return {
    changed: async (state, ids) => {
      const { topics = {} } = (await within(stepMs, collection.findOne({ _id: state }))) ?? {}
      await remember(state, new Map([...ids].filter(([topic]) => topics[topic] === undefined)))
      return [...ids].flatMap(([topic, id]) => (topics[topic] === undefined || topics[topic] === id ? [] : [topic]))
    },
    remember,
    acceptEnrichments: async (ids) => {
      await within(stepMs, db.collection('enrichments').updateMany({}, { $unset: { applied: '' } }, durable))
      await remember('enrichments', ids)
    },
  }
}
