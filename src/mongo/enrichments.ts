import type { Db } from 'mongodb'
import type { FindEnrichment, Sleep } from '../ports.ts'
import type { StoreEnrichments } from '../projections/enrichment-handler.ts'
import { type EnrichmentDocument, evolveEnrichment } from '../projections/enrichments.ts'
import { within } from './deadline.ts'
import { chunks } from './groups.ts'
import { type Group, settle } from './settle.ts'
import { readPresent, writeIfUnchanged } from './store.ts'
import { together } from './together.ts'

const collection = 'enrichments'
const lookUpMs = 400
const keysAtOnce = 300
/** Kafka takes at least as long for the event that waits for the same answer. */
const restMs = 2

/** Keeps enrichments like views: read, fold, compare and set. */
export const storeEnrichments = (db: Db, sleep: Sleep): StoreEnrichments => {
  const settleGroups = settle<EnrichmentDocument>({
    read: readPresent(db),
    write: writeIfUnchanged(db),
    announce: async () => async () => {},
    mayWrite: async () => true,
    sleep,
  })
  return async (enrichments) => {
    const groups = [...Map.groupBy(enrichments, ({ key }) => key)].map(
      ([id, records]): Group<EnrichmentDocument> => ({
        collection,
        id,
        evolve: (current) => {
          const [first, ...others] = records
          if (first === undefined) throw new Error('a group without records')
          return others.reduce(evolveEnrichment, evolveEnrichment(current, first))
        },
      }),
    )
    for (const some of chunks(groups, keysAtOnce)) await settleGroups(some)
  }
}

/** One query for all that ask at the same time, and at most one in two milliseconds; throws when there is no answer within 400 ms of its beginning. */
export const findEnrichment = (db: Db, sleep: Sleep): FindEnrichment => {
  const enrichments = db.collection<EnrichmentDocument>(collection)
  const find = together(
    async (keys) => {
      const query = { _id: { $in: [...keys] }, value: { $exists: true } }
      const found = enrichments.find(query, { maxTimeMS: lookUpMs, projection: { value: 1 }, batchSize: keys.size + 1 })
      return new Map((await within(lookUpMs, found.toArray())).map(({ _id, value }) => [_id, value]))
    },
    () => sleep(restMs),
  )
  return async (keys) => {
    const byKey = await find(keys)
    return keys.map((key) => byKey.get(key)).find((value) => value !== undefined)
  }
}
