import { randomBytes } from 'node:crypto'
import type { Db } from 'mongodb'
import type { ViewName } from '../../views/index.ts'
import { rejectAfter, stepMs } from '../client.ts'
import { rebuiltName, rename, swapName } from './collections.ts'
import { type RebuildDocument, rebuilds, type SwapLock } from './state.ts'

/** The fields of a rebuild that are needed to break its lock. */
type Locked = Pick<RebuildDocument, 'views'> & { readonly lock?: Pick<SwapLock, 'token' | 'writer'> }

/** Makes the live writers wait, at most `leaseMs`. Undefined if another process owns the rebuild, or it is locked. */
export const acquireLock = async (db: Db, owner: string, leaseMs: number): Promise<string | undefined> => {
  const token = randomBytes(6).toString('hex')
  const lock = { token, writer: owner, until: { $add: ['$$NOW', leaseMs] } }
  const filter = { _id: 'current' as const, owner, lock: { $exists: false } }
  const { matchedCount } = await rejectAfter(stepMs, rebuilds(db).updateOne(filter, [{ $set: { lock } }]))
  return matchedCount > 0 ? token : undefined
}

/** True until the lock is broken. */
const holdsLock = async (db: Db, token: string): Promise<boolean> =>
  (await rejectAfter(stepMs, rebuilds(db).countDocuments({ 'lock.token': token, 'lock.broken': { $ne: true } }))) > 0

/**
 * Breaks the lock, if there is one. After this resolves, no view can be swapped under this lock, however late its
 * holder wakes up. The collections that are ready for the swap are renamed back, so a late rename finds nothing (see
 * `swapIn`). Any number of processes may call this at the same time. The holder also calls it to release the lock.
 */
export const breakLock = async (db: Db, { views, lock }: Locked): Promise<void> => {
  if (lock === undefined) return
  const { token, writer } = lock
  await rejectAfter(stepMs, rebuilds(db).updateOne({ 'lock.token': token }, { $set: { 'lock.broken': true } }))
  for (const view of views) await rename(db, swapName(view, writer), rebuiltName(view, writer))
  await rejectAfter(stepMs, rebuilds(db).updateOne({ 'lock.token': token }, { $unset: { lock: '' } }))
}

/**
 * Whether a live writer may write the changes that it holds in memory. An expired lock is broken first: the rebuild has
 * died or hangs.
 */
export const swapGate = (db: Db) => async (): Promise<boolean> => {
  const [locked] = await rejectAfter(
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
 * Replaces the live collections with the rebuilt ones. Readers see each replacement as one step. Resolves with the
 * views that were replaced. These are fewer than requested if the lock was broken during the swap. MongoDB ends the
 * queries that are open on the old collection, as with any rename.
 *
 * Why no event is lost, and no event is folded onto a document that lacks earlier events, whichever process dies or
 * freezes at whichever time:
 *
 * 1. The rebuild works in this order. It sets the lock, and a majority acknowledges it. It reads the end offsets of the
 *    topics. It processes every record before these end offsets. It swaps the collections. It releases the lock.
 * 2. A live writer holds its records in memory before it looks for a lock (`swapGate`). If it sees a lock, it writes
 *    nothing. If it sees none, the end offsets are read later, so its records are before them. The rebuilt documents
 *    contain these records, however late the writer writes. Its late write requires the `applied` that it has read, or
 *    that there is no document. The swapped document differs, so the write has no effect. The writer reads again and
 *    finds that all is done. For the same reason, a damaged document that it has read before the swap is not restored.
 * 3. A writer that sees the lock waits. Then it reads the swapped documents and folds its records onto them. The
 *    projector processes a partition in order, and a slice counts as done only when all of it is written. So the
 *    waiting slice begins at or before the end offset of its partition. The swapped documents have all records before
 *    that offset. So no record reaches a swapped document before an earlier record that the document lacks.
 * 4. The lock is a lease on the server's clock. The first writer that sees an expired lease breaks the lock: it marks
 *    the lock as broken, then renames the collections that are ready for the swap, and only then writes. The rebuild
 *    also works in steps. It renames its collections to names under which no process writes, so no write can create
 *    such a collection. It checks that the lock is not broken. Then it renames the ready collections to the names of
 *    the views. If it freezes before the check and the lock is broken, the check fails and no rename begins. If it
 *    freezes after the check, a rename after the break finds no collection. Views that were swapped before the break
 *    were swapped under an unbroken lock, so 1 to 3 hold for them.
 *
 * Assumption: the server that answers as the primary is the primary. A primary that was deposed within the second of a
 * swap, and does not know it yet, could report to a writer that there is no lock. A primary that was elected in that
 * second could show the view as it was before the swap.
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
