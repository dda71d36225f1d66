import { randomUUID } from 'node:crypto'
import type { Db } from 'mongodb'
import { within } from './client.ts'

/**
 * A day whose statistics are to be computed. `mark` is new whenever documents of the day are about to change or have
 * changed, `fresh` says that they have; `at` is the server's time of the newest mark.
 */
export type DueDocument = {
  readonly _id: string
  readonly mark: string
  readonly fresh: boolean
  readonly at: Date
}

/** A day that is due. `calm`: no change was announced for so long that all that were are either written or given up. */
export type Due = Pick<DueDocument, '_id' | 'mark' | 'fresh'> & { readonly calm: boolean }

const stepMs = 10_000
const due = (db: Db) => db.collection<DueDocument>('stats_due')

/** Marks days durably: before their documents change, or after (`fresh`). */
export const markDays = async (db: Db, ids: ReadonlyArray<string>, fresh: boolean): Promise<void> => {
  if (ids.length === 0) return
  const marks = ids.map((_id) => ({
    updateOne: {
      filter: { _id },
      update: {
        $set: { mark: randomUUID(), ...(fresh && { fresh }) },
        ...(!fresh && { $setOnInsert: { fresh } }),
        $currentDate: { at: true as const },
      },
      upsert: true,
    },
  }))
  await within(stepMs, due(db).bulkWrite(marks, { ordered: false }))
}

/**
 * The days to compute: those with changes, and once more those that have been calm for `calmMs` by the server's
 * clock.
 */
export const dueDays = (db: Db, calmMs: number): Promise<ReadonlyArray<Due>> => {
  const calm = { $lt: ['$at', { $subtract: ['$$NOW', calmMs] }] }
  return within(
    stepMs,
    due(db)
      .find({ $or: [{ fresh: true }, { $expr: calm }] }, { maxTimeMS: stepMs })
      .project<Due>({ mark: 1, fresh: 1, calm })
      .toArray(),
  )
}

/**
 * Ticks off a day that was computed after it was read as due, unless it has been marked since. The mark goes once the day
 * is calm.
 */
export const tickOff = async (db: Db, { _id, mark, fresh, calm }: Due): Promise<void> => {
  const filter = { _id, mark, fresh }
  await within<unknown>(
    stepMs,
    calm ? due(db).deleteOne(filter) : due(db).updateOne(filter, { $set: { fresh: false } }),
  )
}

/** How many days have changes that are not in their statistics yet. */
export const daysWithChanges = (db: Db): Promise<number> => within(stepMs, due(db).countDocuments({ fresh: true }))
