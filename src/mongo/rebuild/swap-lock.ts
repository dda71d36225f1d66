import { randomBytes } from 'node:crypto'
import type { Db } from 'mongodb'
import { within } from '../client.ts'
import { rename } from './collections.ts'
import { rebuiltName, swapName } from './names.ts'
import { type RebuildDocument, rebuilds, type SwapLock } from './state.ts'

const stepMs = 10_000

/** What has to be known of a rebuild to break its lock. */
export type Locked = Pick<RebuildDocument, 'views'> & { readonly lock?: Pick<SwapLock, 'token' | 'writer'> }

/** Holds the live writers back for so long at most; undefined where the rebuild is not the owner's any more. */
export const acquireLock = async (db: Db, owner: string, leaseMs: number): Promise<string | undefined> => {
  const token = randomBytes(6).toString('hex')
  const lock = { token, writer: owner, until: { $add: ['$$NOW', leaseMs] } }
  const filter = { _id: 'current' as const, owner, lock: { $exists: false } }
  const { matchedCount } = await within(stepMs, rebuilds(db).updateOne(filter, [{ $set: { lock } }]))
  return matchedCount > 0 ? token : undefined
}

/** Whether nobody has broken it. */
export const holdsLock = async (db: Db, token: string): Promise<boolean> =>
  (await within(stepMs, rebuilds(db).countDocuments({ 'lock.token': token, 'lock.broken': { $ne: true } }))) > 0

/**
 * Takes the lock from whoever held it, if anybody did: when this resolves, no view can be swapped under it any more, however
 * late its holder wakes up. What stood ready is moved away, so that a late rename finds nothing (swap.ts); any number may do
 * so at the same time, and it is also how the holder itself lets go.
 */
export const breakLock = async (db: Db, { views, lock }: Locked): Promise<void> => {
  if (lock === undefined) return
  const { token, writer } = lock
  await within(stepMs, rebuilds(db).updateOne({ 'lock.token': token }, { $set: { 'lock.broken': true } }))
  for (const view of views) await rename(db, swapName(view, writer), rebuiltName(view, writer))
  await within(stepMs, rebuilds(db).updateOne({ 'lock.token': token }, { $unset: { lock: '' } }))
}

/**
 * Whether a live writer may write what it has in hand. A lock whose lease is over is broken first: the rebuild has died, or
 * hangs.
 */
export const swapGate = (db: Db) => async (): Promise<boolean> => {
  const [locked] = await within(
    stepMs,
    rebuilds(db)
      .find({ _id: 'current', lock: { $exists: true } }, { maxTimeMS: stepMs })
      .project<Locked & { readonly isOver: boolean }>({ views: 1, lock: 1, isOver: { $lt: ['$lock.until', '$$NOW'] } })
      .toArray(),
  )
  if (locked === undefined) return true
  if (!locked.isOver) return false
  await breakLock(db, locked)
  return true
}
