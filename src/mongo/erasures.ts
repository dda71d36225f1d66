import { createHmac, randomBytes } from 'node:crypto'
import type { Db } from 'mongodb'
import type { ErasureDocument } from '../../contracts/views/erasure.ts'
import type { TimelineDocument } from '../../contracts/views/timeline.ts'
import type { FindLinks } from '../domain/person.ts'
import { chunks } from '../shared/slices.ts'
import { within } from './client.ts'
import { enrichedKeys } from './enrichments.ts'
import { type FindDocuments, findDocumentsIn, findLinksIn } from './persons.ts'

/** A record's key, and of what it is the key: a chat and a client may have the same number. */
export type ErasedKey = { readonly of: 'chat' | 'client' | 'enrichment'; readonly key: string }

/** A marker as timeline has it. */
export type Marker = Pick<TimelineDocument, 'type' | 'chatId' | 'clientId' | 'topic' | 'partition' | 'offset'>

/** Persons and their erasures. All of it throws where MongoDB does not answer. */
export type Erasures = {
  readonly findLinks: (accountId: string) => FindLinks
  readonly findDocuments: FindDocuments
  /** Those of the keys under which there is an enrichment. */
  readonly enriched: (
    keys: ReadonlyArray<string>,
  ) => Promise<ReadonlyArray<{ readonly _id: string; readonly value?: unknown }>>
  /** Every key of the account that has an enrichment, or had one. */
  readonly enrichedKeys: (accountId: string) => AsyncIterable<string>
  /** The same for the same text, as long as the database is the same. */
  readonly hmac: () => Promise<(text: string) => string>
  readonly find: (
    filter: Partial<Pick<ErasureDocument, '_id' | 'state' | 'request'>>,
  ) => Promise<ReadonlyArray<ErasureDocument>>
  /** Resolves when it is durable on a majority. */
  readonly save: (receipt: ErasureDocument) => Promise<void>
  readonly markers: (receipt: ErasureDocument) => Promise<ReadonlyArray<Marker>>
  /** Up to when this database has every erasure that the archive has; undefined where that was never known. */
  readonly knownUntil: () => Promise<Date | undefined>
  readonly keepKnownUntil: (time: Date) => Promise<void>
  /** When each of these keys was last erased, by `nameOfErased`; those that never were are missing. */
  readonly erasedAt: (keys: ReadonlyArray<ErasedKey>) => Promise<ReadonlyMap<string, Date>>
}

const stepMs = 10_000
const queryMs = 300_000
const keysAtOnce = 300

/** How a key is named where it becomes an HMAC. */
export const nameOfErased = ({ of, key }: ErasedKey): string => `${of} ${key}`

export const erasuresIn = (db: Db): Erasures => {
  const receipts = db.collection<ErasureDocument>('erasures')
  const secrets = db.collection<{ _id: string; key: string }>('erasure_keys')
  const topicsRead = db.collection<{ _id: string; until: Date }>('topics_read')
  const hmac = async () => {
    const options = { upsert: true, returnDocument: 'after' } as const
    const fresh = { $setOnInsert: { key: randomBytes(32).toString('base64url') } }
    const secret = await within(stepMs, secrets.findOneAndUpdate({ _id: 'receipts' }, fresh, options))
    const key = secret?.key ?? ''
    return (text: string) => createHmac('sha256', key).update(text).digest('base64url')
  }
  return {
    findLinks: (accountId) => findLinksIn(db, accountId),
    findDocuments: findDocumentsIn(db),
    enriched: async (keys) => {
      const found = await Promise.all(
        chunks(keys, keysAtOnce).map((some) =>
          db
            .collection<{ _id: string; value?: unknown }>('enrichments')
            .find({ _id: { $in: [...some] }, value: { $exists: true } }, { maxTimeMS: stepMs })
            .toArray(),
        ),
      )
      return found.flat()
    },
    enrichedKeys: (accountId) => enrichedKeys(db, accountId)(),
    hmac,
    find: (filter) => within(stepMs, receipts.find(filter, { maxTimeMS: stepMs }).sort({ requestedAt: 1 }).toArray()),
    save: async (receipt) => {
      await within(stepMs, receipts.replaceOne({ _id: receipt._id }, receipt, { upsert: true }))
    },
    markers: async ({ _id, accountId }) => {
      const isMarker = { accountId, type: { $in: ['ClientErased', 'ChatErased'] }, 'data.erasureId': _id }
      return db.collection<TimelineDocument>('timeline').find(isMarker, { maxTimeMS: queryMs }).toArray()
    },
    knownUntil: async () => (await within(stepMs, topicsRead.findOne({ _id: 'erasures' })))?.until,
    keepKnownUntil: async (until) => {
      await within(stepMs, topicsRead.updateOne({ _id: 'erasures' }, { $set: { until } }, { upsert: true }))
    },
    erasedAt: async (keys) => {
      const hash = await hmac()
      const hashes = new Map(keys.map((each) => [hash(nameOfErased(each)), nameOfErased(each)]))
      const found = await within(
        stepMs,
        receipts
          .find({ keys: { $in: [...hashes.keys()] } }, { maxTimeMS: stepMs, projection: { keys: 1, requestedAt: 1 } })
          .sort({ requestedAt: 1 })
          .toArray(),
      )
      return new Map(
        found.flatMap((receipt) =>
          receipt.keys.flatMap((each) => {
            const text = hashes.get(each)
            return text === undefined ? [] : [[text, receipt.requestedAt] as const]
          }),
        ),
      )
    },
  }
}
