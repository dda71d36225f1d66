import type { Db } from 'mongodb'
import { type Enrichment, enrichmentKey } from '../../../contracts/commands/enrichment.ts'
import type { TimelineDocument } from '../../../contracts/views/timeline.ts'
import { chunks } from '../shared/slices.ts'
import type { Sleep } from '../shared/time.ts'
import { type EnrichmentDocument, evolveEnrichment, type StoreEnrichments } from '../views/enrichments.ts'
import { entriesView } from '../views/index.ts'
import { rejectAfter, stepMs } from './client.ts'
import { type Group, optimisticUpdate } from './optimistic-update.ts'
import { readPresent, writeIfUnchanged } from './store.ts'

const collection = 'enrichments'
const lookUpMs = 400
const keysAtOnce = 300

/** Stores enrichments in the same way as views: read, fold, compare and set. */
export const storeEnrichments = (db: Db, sleep: Sleep): StoreEnrichments => {
  const updateDocuments = optimisticUpdate<EnrichmentDocument>({
    read: readPresent(db, 'majority'),
    write: writeIfUnchanged(db),
    written: async () => {},
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
          return [others.reduce(evolveEnrichment, evolveEnrichment(current, first))]
        },
      }),
    )
    for (const some of chunks(groups, keysAtOnce)) await updateDocuments(some)
  }
}

/** The newest enrichment of each key that has one, with its key. */
export type FindEnrichments = (
  keys: ReadonlyArray<string>,
) => Promise<ReadonlyArray<readonly [key: string, enrichment: Enrichment]>>

/** Throws if MongoDB does not answer within 400 ms. */
export const findEnrichments = (db: Db): FindEnrichments => {
  const enrichments = db.collection<EnrichmentDocument>(collection)
  return async (keys) => {
    const query = { _id: { $in: [...keys] }, value: { $exists: true } }
    const found = enrichments.find(query, { maxTimeMS: lookUpMs, projection: { value: 1 }, batchSize: keys.length + 1 })
    const documents = await rejectAfter(lookUpMs, found.toArray())
    return documents.flatMap(({ _id, value }) => (value ? [[_id, value] as const] : []))
  }
}

/** Every enrichment with its places, without its value. Throws when MongoDB does not answer. */
export const storedEnrichments = (db: Db) =>
  async function* (): AsyncIterable<EnrichmentDocument> {
    const enrichments = db.collection<EnrichmentDocument>(collection)
    const found = enrichments.find({ value: { $exists: true } }, { projection: { applied: 1 }, batchSize: 1_000 })
    for await (const { _id, applied = {} } of found) yield { _id, applied }
  }

/** Removes the value of an enrichment, unless it has changed. */
export const emptyEnrichment =
  (db: Db) =>
  async ({ _id, applied }: EnrichmentDocument): Promise<void> => {
    const unchanged = Object.keys(applied).length === 0 ? { $in: [{}, null] } : applied
    const enrichments = db.collection<EnrichmentDocument>(collection)
    const update = { $unset: { value: '' } } as const
    await rejectAfter(
      stepMs,
      enrichments.updateOne({ _id, applied: unchanged as never }, update, { writeConcern: { w: 'majority' } }),
    )
  }

/** Every key that has an enrichment, or had one; throws when MongoDB does not answer. */
export type EnrichedKeys = () => AsyncIterable<string>

/** Reads only the index of `_id`, and no documents. */
export const enrichedKeys = (db: Db, accountId?: string): EnrichedKeys => {
  const enrichments = db.collection<EnrichmentDocument>(collection)
  return async function* () {
    // In the index, `acme0` is the first text after all that begin with `acme/`.
    const ofAccount = accountId === undefined ? {} : { _id: { $gte: `${accountId}/`, $lt: `${accountId}0` } }
    const keys = enrichments.find(ofAccount, { projection: { _id: 1 }, hint: { _id: 1 }, batchSize: 1_000 })
    for await (const { _id } of keys) yield _id
  }
}

/** The keys of the notes of these accounts' chats that have no event since then. */
export type OldNotes = (accountIds: ReadonlyArray<string>, before: Date) => AsyncIterable<string>

/**
 * A chat that the views do not have has no old note: its events may be on their way. Throws when MongoDB does not
 * answer.
 */
export const oldNotes = (db: Db): OldNotes => {
  const notes = db.collection<EnrichmentDocument>(collection)
  const timeline = db.collection<Pick<TimelineDocument, 'time'> & { _id: string }>(entriesView)
  return async function* (accountIds, before) {
    for (const accountId of accountIds) {
      const prefix = enrichmentKey(accountId, 'chatId', '')
      // In the index, `acme/chatId;` is the first text after all that begin with `acme/chatId:`.
      const ofChats = { _id: { $gte: prefix, $lt: `${prefix.slice(0, -1)};` }, value: { $exists: true } }
      for await (const { _id } of notes.find(ofChats, { projection: { _id: 1 }, batchSize: 1_000 })) {
        const ofChat = { accountId, chatId: _id.slice(prefix.length) }
        const newest = await timeline.findOne(ofChat, { sort: { time: -1, offset: -1 }, projection: { time: 1 } })
        if (newest !== null && newest.time < before) yield _id
      }
    }
  }
}
