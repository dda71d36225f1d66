import { randomBytes } from 'node:crypto'
import type { Db } from 'mongodb'
import type { ViewName } from '../../../contracts/views.ts'
import { within } from '../client.ts'
import { rebuiltName, rename, swapName } from './collections.ts'
import { type RebuildDocument, rebuilds, type SwapLock } from './state.ts'

const stepMs = 10_000

/** What has to be known of a rebuild to break its lock. */
type Locked = Pick<RebuildDocument, 'views'> & { readonly lock?: Pick<SwapLock, 'token' | 'writer'> }

/** Holds the live writers back for so long at most; undefined where the rebuild is not the owner's any more. */
export const acquireLock = async (db: Db, owner: string, leaseMs: number): Promise<string | undefined> => {
  const token = randomBytes(6).toString('hex')
  const lock = { token, writer: owner, until: { $add: ['$$NOW', leaseMs] } }
  const filter = { _id: 'current' as const, owner, lock: { $exists: false } }
  const { matchedCount } = await within(stepMs, rebuilds(db).updateOne(filter, [{ $set: { lock } }]))
  return matchedCount > 0 ? token : undefined
}

/** Whether nobody has broken it. */
const holdsLock = async (db: Db, token: string): Promise<boolean> =>
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

type Held = { readonly writer: string; readonly token: string }

/**
 * Puts the rebuilt collections in the place of the live ones, each in one step for its readers; resolves with the views for
 * which it did, fewer than were asked for where the lock was broken meanwhile. Queries that are open on the old collection
 * are ended by MongoDB, as by any rename.
 *
 * Why nothing is lost, and nothing is folded onto a document that lacks events, whoever dies or freezes when:
 *
 * 1. The lock is acknowledged by a majority. Then the ends of the logs are asked for, and the rebuild goes on until it has
 *    taken in everything before them. Only then are the collections swapped, and the lock is released last.
 * 2. A live writer has its records in hand when it asks whether there is a lock (`swapGate`), and writes nothing where there
 *    is one. So whatever a writer that saw none writes, and however late it does, its records are before those ends: the
 *    rebuilt documents have them. Its write into the swapped collection meets a document whose `applied` is not the one it
 *    has read, or one that it took for missing: it matches nothing, the writer reads anew and finds all of it done. So a
 *    damaged document that it has read before the swap does not come back either.
 * 3. A writer that saw the lock waits, and then folds from the swapped documents. The projector takes in a partition in
 *    order, and nothing of a slice counts until all of it is written: what it waits with begins at or before those ends. So
 *    the next record that reaches a swapped document is never beyond one that the document lacks.
 * 4. The lock is a lease on the server's clock. When it is over, the first writer that sees it breaks it: it marks the lock
 *    as broken, then moves the collections that stand ready away, and writes only then. The rebuild makes them ready (a name
 *    under which nobody writes, so that no write can make such a collection), looks whether the lock is still whole, and
 *    then renames what is ready. Whether it froze before or after that look, a rename that comes after the break finds
 *    nothing to rename, or is not begun. What was swapped before the break is as good as any swap.
 *
 * Taken for granted: whoever answers as the primary is one. A primary that was deposed within the second of a swap and does
 * not know it yet could tell a writer of no lock; one that was elected in that second could show the view before the swap.
 */
export const swapIn = async (
  db: Db,
  { writer, token }: Held,
  views: ReadonlyArray<ViewName>,
): Promise<ReadonlyArray<ViewName>> => {
  for (const view of views) await rename(db, rebuiltName(view, writer), swapName(view, writer))
  if (!(await holdsLock(db, token))) return []
  const swapped: Array<ViewName> = []
  for (const view of views) if (await rename(db, swapName(view, writer), view)) swapped.push(view)
  return swapped
}
