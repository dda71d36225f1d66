import { randomUUID } from 'node:crypto'
import type { Db } from 'mongodb'
import type { Instant } from '../../../contracts/primitives.ts'
import { chunks } from '../shared/slices.ts'
import { unlessThere } from './classify.ts'
import { rejectAfter, stepMs } from './client.ts'
import { type Erasures, erasuresIn } from './erasures.ts'
import { readPresent, type Stored } from './store.ts'

type Redrive = { readonly _id: string; readonly sentAt: ReadonlyArray<Instant> }

/** The right to send records back, which one process has at a time. */
export type Lease = {
  /** Keeps the right for another minute. False if another process has had it since. */
  readonly renew: () => Promise<boolean>
  readonly release: () => Promise<void>
}

/** The fields that show how new a view's document is. */
export type State = Pick<Stored, 'applied'> & { readonly lastEventAt?: Date }

/**
 * Which dead letters were sent back, and when. Entries take about 100 bytes each and are never deleted. Every function
 * throws if the result is not known.
 */
export type Redrives = {
  /** The times at which each of these was sent back, in order. Dead letters that were never sent back are missing. */
  readonly find: (ids: ReadonlyArray<string>) => Promise<ReadonlyMap<string, ReadonlyArray<Instant>>>
  /** Resolves when the entries are durable on a majority. Idempotent. */
  readonly remember: (ids: ReadonlyArray<string>, at: Instant) => Promise<void>
  /** Undefined if another process sends records back now. */
  readonly lease: () => Promise<Lease | undefined>
  /** When these keys were last erased (erasures.ts). */
  readonly erasedAt: Erasures['erasedAt']
  /** The existing documents of these ids. */
  readonly states: (view: string, ids: ReadonlyArray<string>) => Promise<ReadonlyMap<string, State>>
}

const collection = 'redrives'
const leaseId = 'lease'
const leaseMs = 60_000
const atOnce = 500

export const redrivesIn = (db: Db): Redrives => {
  const redrives = db.collection<Redrive>(collection)
  const leases = db.collection<{ readonly _id: string; readonly owner: string; readonly until: Date }>(collection)
  return {
    find: async (ids) => {
      const found: Array<Redrive> = []
      for (const some of chunks(ids, atOnce))
        found.push(
          ...(await rejectAfter(stepMs, redrives.find({ _id: { $in: [...some] } }, { maxTimeMS: stepMs }).toArray())),
        )
      return new Map(found.map(({ _id, sentAt }) => [_id, [...sentAt].sort()]))
    },
    remember: async (ids, at) => {
      const operations = ids.map((_id) => ({
        updateOne: { filter: { _id }, update: { $addToSet: { sentAt: at } }, upsert: true },
      }))
      for (const some of chunks(operations, atOnce))
        await rejectAfter(stepMs, redrives.bulkWrite([...some], { ordered: false }))
    },
    lease: async () => {
      const owner = randomUUID()
      const held = [{ $set: { owner, until: { $add: ['$$NOW', leaseMs] } } }]
      const isOver = { _id: leaseId, $expr: { $lt: ['$until', '$$NOW'] } }
      // The filter does not match a document that exists, and then the insert fails on its _id.
      const isFirst = { _id: leaseId, owner: { $exists: false } }
      const insert = () => unlessThere(rejectAfter(stepMs, leases.updateOne(isFirst, held, { upsert: true })))
      const took = (await rejectAfter(stepMs, leases.updateOne(isOver, held))).matchedCount === 1 || (await insert())
      if (!took) return undefined
      return {
        renew: async () =>
          (await rejectAfter(stepMs, leases.updateOne({ _id: leaseId, owner }, held))).matchedCount === 1,
        release: async () => void (await rejectAfter(stepMs, leases.deleteOne({ _id: leaseId, owner }))),
      }
    },
    erasedAt: erasuresIn(db).erasedAt,
    states: readPresent<State & Stored>(db, 'local'),
  }
}
