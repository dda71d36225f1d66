import type { AnyBulkWriteOperation, Db } from 'mongodb'
import { isOvertaken } from './classify.ts'
import { within } from './client.ts'

/** What every document here has; `applied` is missing where a document is written once. */
export type Stored = { readonly _id: string; readonly applied?: Readonly<Record<string, number>> }

/** A document as it was read, and as it shall be. */
export type Write<D> = { readonly before: D | undefined; readonly after: D }

/** The documents of these ids that are there. */
export type ReadPresent<D> = (collection: string, ids: ReadonlyArray<string>) => Promise<ReadonlyMap<string, D>>

/** Writes each document if it still is as it was read; `overtaken` where another writer was faster with any of them. */
export type WriteIfUnchanged<D> = (
  collection: string,
  writes: ReadonlyArray<Write<D>>,
) => Promise<'written' | 'overtaken'>

const stepMs = 10_000

/**
 * What is folded and written again is read at `majority`: a document that only the primary has may be gone after a failover,
 * and must not count as done. It may be read older than it is; then the write is `overtaken`.
 */
export const readPresent =
  <D extends Stored>(db: Db, level: 'local' | 'majority'): ReadPresent<D> =>
  async (collection, ids) => {
    const found = await within(
      stepMs,
      db
        .collection<Stored>(collection)
        .find({ _id: { $in: [...ids] } }, { maxTimeMS: stepMs, readConcern: { level } })
        .toArray(),
    )
    return new Map(found.map((document) => [document._id, document as unknown as D]))
  }

const operation = ({ before, after }: Write<Stored>): AnyBulkWriteOperation<Stored> => {
  if (before === undefined) return { insertOne: { document: after } }
  const { _id, applied = { $exists: false } } = before
  return { replaceOne: { filter: { _id, applied }, replacement: after } }
}

/**
 * One unordered bulk write, acknowledged by a majority. The filter has `applied` as it was read, or that it is missing, as in a document that
 * somebody else has made: every change of a document moves it, so a stale reader matches nothing. A write concern error throws: not done, to be done again.
 */
export const writeIfUnchanged =
  <D extends Stored>(db: Db): WriteIfUnchanged<D> =>
  async (collection, writes) => {
    if (writes.length === 0) return 'written'
    try {
      const { insertedCount, matchedCount } = await within(
        stepMs,
        db.collection<Stored>(collection).bulkWrite(writes.map(operation), { ordered: false }),
      )
      return insertedCount + matchedCount === writes.length ? 'written' : 'overtaken'
    } catch (error) {
      if (isOvertaken(error)) return 'overtaken'
      throw error
    }
  }
