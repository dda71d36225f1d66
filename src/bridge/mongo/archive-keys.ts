import { type AnyBulkWriteOperation, type Db, MongoBulkWriteError } from 'mongodb'
import type { ArchiveKey, ArchiveKeys, NewArchiveKey } from '../domain/archive-keys.ts'
import type { LogPlace } from '../domain/log/positions.ts'
import { chunks } from '../shared/slices.ts'
import { isOvertaken } from './classify.ts'
import { rejectAfter, stepMs } from './client.ts'

/** A place as it is stored: `generation` is the id of its topic. */
type StoredPlace = { readonly generation: string; readonly partition: number; readonly offset: number }
const stored = ({ topicId, partition, offset }: LogPlace): StoredPlace => ({ generation: topicId, partition, offset })
const placeIn = ({ generation, partition, offset }: StoredPlace): LogPlace => ({
  topicId: generation,
  partition,
  offset,
})

type Document = Pick<ArchiveKey, 'kid' | 'wrapped'> & {
  readonly _id: string
  readonly erased?: StoredPlace
  readonly erasedKids?: ReadonlyArray<string>
  readonly lostBefore?: ReadonlyArray<StoredPlace>
}

const keyIn = ({ _id, erased, lostBefore, ...key }: Document): ArchiveKey => ({
  erasedKids: [],
  ...key,
  id: _id,
  ...(erased !== undefined && { erased: placeIn(erased) }),
  ...(lostBefore !== undefined && { lostBefore: lostBefore.map(placeIn) }),
})

// These queries read every key.
const examplesMs = 300_000
const atOnce = 500

/** The part before the first point. It names the wrapping key. */
const headerOf = (wrapped: string): string => wrapped.split('.', 1)[0] ?? ''

const isOnlyDuplicates = (error: unknown): boolean =>
  error instanceof MongoBulkWriteError && isOvertaken(error) && error.result.getWriteConcernError() === undefined

/** The data keys of the archive, by their record keys. */
export const archiveKeysIn = (db: Db): ArchiveKeys => {
  const collection = db.collection<Document>('archive_keys', { readConcern: { level: 'majority' } })
  const write = async (operations: ReadonlyArray<AnyBulkWriteOperation<Document>>) => {
    for (const some of chunks(operations, atOnce))
      await rejectAfter(
        stepMs,
        collection.bulkWrite([...some], { ordered: false }).catch((error: unknown) => {
          if (!isOnlyDuplicates(error)) throw error
        }),
      )
  }
  return {
    find: async (ids) => {
      const found = new Map<string, ArchiveKey>()
      for (const some of chunks(ids, atOnce)) {
        const documents = await rejectAfter(
          stepMs,
          collection.find({ _id: { $in: [...some] } }, { maxTimeMS: stepMs }).toArray(),
        )
        for (const document of documents) found.set(document._id, keyIn(document))
      }
      return found
    },
    // The filter does not match a document with a key, and then the insert fails on its _id: the first key stays.
    add: (keys) =>
      write(
        keys.map(({ id, kid, wrapped }) => ({
          updateOne: { filter: { _id: id, kid: { $exists: false } }, update: { $set: { kid, wrapped } }, upsert: true },
        })),
      ),
    destroy: async (id, erased) => {
      const { topicId, partition, offset } = erased
      const isDone = {
        'erased.generation': topicId,
        'erased.partition': partition,
        'erased.offset': { $gte: offset },
      }
      const kids = { $concatArrays: [{ $ifNull: ['$erasedKids', []] }, { $cond: ['$kid', ['$kid'], []] }] }
      await write([
        {
          updateOne: {
            filter: { _id: id, $nor: [isDone] },
            update: [
              { $set: { erasedKids: kids, erased: { $literal: stored(erased) } } },
              { $unset: ['kid', 'wrapped'] },
            ],
            upsert: true,
          },
        },
      ])
    },
    acceptLoss: (lost) =>
      write(
        lost.map(({ id, before }) => ({
          updateOne: {
            filter: { _id: id },
            update: { $addToSet: { lostBefore: { $each: before.map(stored) } } },
            upsert: true,
          },
        })),
      ),
    giveUp: async (wrapped) => {
      const isAlike = { wrapped: { $regex: `^${headerOf(wrapped)}[.]` } }
      const read = db.collection<{ readonly _id: string; readonly until?: Date }>('topics_read')
      // First: an archiver that waits for it begins as soon as the last key is removed, and nobody could repeat it then.
      await rejectAfter(stepMs, read.updateOne({ _id: 'erasures' }, { $unset: { until: '' } }))
      await collection.updateMany(isAlike, { $unset: { kid: '', wrapped: '' } }, { maxTimeMS: examplesMs })
    },
    examples: async () => {
      const header = { $first: { $split: ['$wrapped', '.'] } }
      const found = await collection
        .aggregate<{ readonly wrapped: string }>(
          [{ $match: { wrapped: { $exists: true } } }, { $group: { _id: header, wrapped: { $first: '$wrapped' } } }],
          { maxTimeMS: examplesMs },
        )
        .toArray()
      return found.map(({ wrapped }) => wrapped)
    },
    all: async function* () {
      for await (const { _id, kid, wrapped } of collection.find({ kid: { $exists: true } }))
        if (kid !== undefined && wrapped !== undefined) yield { id: _id, kid, wrapped }
    },
    rewrap: (keys: ReadonlyArray<NewArchiveKey>) =>
      write(
        keys.map(({ id, kid, wrapped }) => ({
          updateOne: { filter: { _id: id, kid }, update: { $set: { wrapped } } },
        })),
      ),
  }
}
