import type { Db } from 'mongodb'
import type { FindEnrichment, Sleep } from '../ports.ts'
import type { StoreEnrichments } from '../projections/enrichment-handler.ts'
import { type EnrichmentDocument, evolveEnrichment } from '../projections/enrichments.ts'
import { within } from './deadline.ts'
import { chunks } from './groups.ts'
import { type Group, settle } from './settle.ts'
import { readPresent, writeIfUnchanged } from './store.ts'

const collection = 'enrichments'
const lookUpMs = 400
const keysAtOnce = 300

/** Keeps enrichments like views: read, fold, compare and set. */
export const storeEnrichments = (db: Db, sleep: Sleep): StoreEnrichments => {
  const settleGroups = settle<EnrichmentDocument>({
    read: readPresent(db),
    write: writeIfUnchanged(db),
    announce: async () => async () => {},
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

/** One query for all keys; throws when there is no answer within 400 ms. */
export const findEnrichment =
  (db: Db): FindEnrichment =>
  async (keys) => {
    const found = await within(
      lookUpMs,
      db
        .collection<EnrichmentDocument>(collection)
        .find({ _id: { $in: [...keys] }, value: { $exists: true } }, { maxTimeMS: lookUpMs, projection: { value: 1 } })
        .toArray(),
    )
    const byKey = new Map(found.map(({ _id, value }) => [_id, value]))
    return keys.map((key) => byKey.get(key)).find((value) => value !== undefined)
  }
