import { createHmac, randomBytes } from 'node:crypto'
import type { Db } from 'mongodb'
import { ErasureDocument } from '../../../contracts/views/erasure.ts'
import type { TimelineDocument } from '../../../contracts/views/timeline.ts'
import { type ErasedAt, nameOfErased } from '../domain/person/erased.ts'
import type { FindLinks } from '../domain/person/person.ts'
import { memoized } from '../shared/memoized.ts'
import { chunks } from '../shared/slices.ts'
import { documentWithoutPersonalData, entriesView, hasPersonalData, viewOfCopy } from '../views/index.ts'
import { rejectAfter, serverTimeOf, stepMs } from './client.ts'
import { enrichedKeys } from './enrichments.ts'
import { numberTypesOf, withNumberTypes } from './number-types.ts'
import {
  documentsOf,
  type FindDocuments,
  findDocumentsIn,
  findLinksIn,
  type PersonDocument,
  type PlaceOfView,
} from './persons.ts'
import { dropAll, namesIn, writerOf } from './rebuild/collections.ts'
import { readRebuild } from './rebuild/state.ts'
import { markerTypes } from './silent-persons.ts'

// A copy is a collection beside the live view that has documents of it: of a rebuild, or made by hand (`chats_old`).

type Copy = PlaceOfView & {
  /** Whether a rebuild has made it. */
  readonly isOfRebuild: boolean
}

type CopiedDocument = PersonDocument & { readonly collection: string }

type Copies = {
  /** A person's documents with personal data in copies of views. */
  readonly findCopies: (...person: Parameters<FindDocuments>) => AsyncIterable<CopiedDocument>
  /**
   * Removes personal data of a person from the collections of an unfinished rebuild, and drops collections that no
   * rebuild needs any more. Copies that somebody made by hand stay as they are.
   */
  readonly emptyCopies: (...person: Parameters<FindDocuments>) => Promise<void>
}

/** The copies that this database has. */
const copiesIn = async (db: Db): Promise<ReadonlyArray<Copy>> =>
  [...(await rejectAfter(stepMs, namesIn(db)))].flatMap((collection) => {
    const view = viewOfCopy(collection)
    return view === undefined ? [] : [{ collection, view, isOfRebuild: writerOf(collection) !== undefined }]
  })

/** The copies that rebuilds have made. They have the indexes of their views. */
const rebuiltCopiesIn = async (db: Db): Promise<ReadonlyArray<Copy>> =>
  (await copiesIn(db)).filter(({ isOfRebuild }) => isOfRebuild)

/**
 * Collections that a writer has left which works on no rebuild now: it was frozen while its rebuild ended. The names
 * are read before the rebuild is, so a collection of a rebuild that begins meanwhile is not among them.
 */
const dropAbandoned = async (db: Db): Promise<void> => {
  const rebuilt = await rebuiltCopiesIn(db)
  if (rebuilt.length === 0) return
  const { writers = [] } = (await readRebuild(db)) ?? {}
  const isNeeded = (collection: string) => writers.some((writer) => writer === writerOf(collection))
  await dropAll(
    db,
    rebuilt.flatMap(({ collection }) => (isNeeded(collection) ? [] : [collection])),
  )
}

const copiesOfPersonsIn = (db: Db): Copies => {
  const find = async function* (
    copies: ReadonlyArray<Copy>,
    ...[accountId, of]: Parameters<FindDocuments>
  ): AsyncGenerator<CopiedDocument> {
    for (const { collection, view } of copies)
      for await (const document of documentsOf(db, { view, collection }, accountId, of))
        if (hasPersonalData(view, document)) yield { collection, view, document }
  }
  return {
    findCopies: async function* (...person) {
      yield* find(await copiesIn(db), ...person)
    },
    emptyCopies: async (...person) => {
      await dropAbandoned(db)
      for await (const { collection, view, document } of find(await rebuiltCopiesIn(db), ...person)) {
        const { _id, applied } = document as { readonly _id: string; readonly applied?: object }
        // A rebuild that has changed the document meanwhile is running, and removes the data when it reads the marker.
        const unchanged = { _id, ...(applied && { applied }) }
        const copies = db.collection<{ readonly _id: string; readonly applied?: object }>(collection)
        await rejectAfter(
          stepMs,
          copies.replaceOne(unchanged, numberTypesOf(view)(documentWithoutPersonalData(view, document))),
        )
      }
    },
  }
}

/** The entry of a marker in timeline. */
export type Marker = Pick<TimelineDocument, 'type' | 'chatId' | 'clientId' | 'topic' | 'partition' | 'offset'>

/** `applied`: the record that it was made from. */
type StoredEnrichment = {
  readonly _id: string
  readonly value?: unknown
  readonly applied?: Readonly<Record<string, number>>
}

/** Persons and their erasures. Every function throws if MongoDB does not answer. */
export type Erasures = Copies & {
  readonly findLinks: (accountId: string) => FindLinks
  readonly findDocuments: FindDocuments
  /** The enrichments that exist for these keys. */
  readonly enriched: (keys: ReadonlyArray<string>) => Promise<ReadonlyArray<StoredEnrichment>>
  /** Every key of the account that has an enrichment, or had one. */
  readonly enrichedKeys: (accountId: string) => AsyncIterable<string>
  /** Why the receipts recognise nobody; undefined if they do. */
  readonly misfit: () => Promise<string | undefined>
  /** A keyed hash function. Within one database it returns the same hash for the same text. */
  readonly hmac: () => Promise<(text: string) => string>
  readonly find: (
    filter: Partial<Pick<ErasureDocument, '_id' | 'state' | 'request' | 'requestedAt'>>,
  ) => Promise<ReadonlyArray<ErasureDocument>>
  /** Resolves when the receipt is durable on a majority. */
  readonly save: (receipt: ErasureDocument) => Promise<void>
  readonly markers: (receipt: ErasureDocument) => Promise<ReadonlyArray<Marker>>
  /** The time up to which this database has every erasure of the archive. Undefined if that was never known. */
  readonly knownUntil: () => Promise<Date | undefined>
  readonly keepKnownUntil: (time: Date) => Promise<void>
  readonly erasedAt: ErasedAt
  /** When the newest erasure was requested; undefined if there is none. */
  readonly newestErasure: () => Promise<Date | undefined>
  /** The time on MongoDB's server, in ms since 1970. */
  readonly serverTime: () => Promise<number>
}

const lostKeyOfReceipts =
  'erasure_keys has no key for receipts: restore the collection from the same copy as erasures. If no copy has it, see the guide Backup and restore'
const queryMs = 300_000
const keysAtOnce = 300

export const erasuresIn = (db: Db): Erasures => {
  const receipts = db.collection<ErasureDocument>('erasures')
  const timeline = db.collection<Omit<TimelineDocument, 'accountId'> & { accountId: string }>(entriesView)
  const secrets = db.collection<{ _id: string; key: string }>('erasure_keys')
  const topicsRead = db.collection<{ _id: string; until: Date }>('topics_read')
  const misfit = async () => {
    if ((await rejectAfter(stepMs, secrets.findOne({ _id: 'receipts' }))) !== null) return undefined
    return (await rejectAfter(stepMs, receipts.findOne({}))) === null ? undefined : lostKeyOfReceipts
  }
  const hmac = memoized(async () => {
    // A new key would recognise nobody whom older receipts name.
    const reason = await misfit()
    if (reason !== undefined) throw new Error(reason)
    const options = { upsert: true, returnDocument: 'after' } as const
    const fresh = { $setOnInsert: { key: randomBytes(32).toString('base64url') } }
    const secret = await rejectAfter(stepMs, secrets.findOneAndUpdate({ _id: 'receipts' }, fresh, options))
    const key = secret?.key
    // Without a key, everybody could compute the hash of a person, and the receipts of another key would not be found.
    if (!key) throw new Error(lostKeyOfReceipts)
    return (text: string) => createHmac('sha256', key).update(text).digest('base64url')
  })
  return {
    findLinks: (accountId) => findLinksIn(db, accountId, () => rebuiltCopiesIn(db)),
    findDocuments: findDocumentsIn(db),
    ...copiesOfPersonsIn(db),
    enriched: async (keys) => {
      const found = await Promise.all(
        chunks(keys, keysAtOnce).map((some) =>
          db
            .collection<StoredEnrichment>('enrichments')
            .find({ _id: { $in: [...some] }, value: { $exists: true } }, { maxTimeMS: stepMs })
            .toArray(),
        ),
      )
      return found.flat()
    },
    enrichedKeys: (accountId) => enrichedKeys(db, accountId)(),
    misfit,
    hmac,
    find: (filter) =>
      rejectAfter(stepMs, receipts.find(filter, { maxTimeMS: stepMs }).sort({ requestedAt: 1 }).toArray()),
    save: async (receipt) => {
      await rejectAfter(
        stepMs,
        receipts.replaceOne({ _id: receipt._id }, withNumberTypes(ErasureDocument, receipt), { upsert: true }),
      )
    },
    markers: async ({ _id, accountId }) => {
      const isMarker = { accountId, type: { $in: markerTypes }, 'data.erasureId': _id }
      return timeline.find(isMarker, { maxTimeMS: queryMs }).toArray()
    },
    knownUntil: async () => (await rejectAfter(stepMs, topicsRead.findOne({ _id: 'erasures' })))?.until,
    keepKnownUntil: async (until) => {
      await rejectAfter(stepMs, topicsRead.updateOne({ _id: 'erasures' }, { $set: { until } }, { upsert: true }))
    },
    serverTime: () => serverTimeOf(db),
    newestErasure: async () => {
      const newest = receipts.find({}, { maxTimeMS: stepMs, projection: { requestedAt: 1 } })
      return (await rejectAfter(stepMs, newest.sort({ requestedAt: -1 }).limit(1).toArray()))[0]?.requestedAt
    },
    erasedAt: async (keys) => {
      const hash = await hmac()
      const hashes = new Map(keys.map((each) => [hash(nameOfErased(each)), nameOfErased(each)]))
      const found = (
        await Promise.all(
          chunks([...hashes.keys()], keysAtOnce).map((some) =>
            rejectAfter(
              stepMs,
              receipts
                .find({ keys: { $in: some } }, { maxTimeMS: stepMs, projection: { keys: 1, requestedAt: 1 } })
                .toArray(),
            ),
          ),
        )
      )
        .flat()
        .sort((a, b) => a.requestedAt.getTime() - b.requestedAt.getTime())
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
