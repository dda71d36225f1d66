import { randomBytes } from 'node:crypto'
import type { Db } from 'mongodb'
import type { Sleep } from '../../shared/time.ts'
import type { ApplyChanges } from '../../views/document.ts'
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

/** Whether no rebuild is swapping views. An expired lock is broken first: the rebuild has died or hangs. */
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

const askAgainMs = 20

/** Asks once for a batch of changes, with all of them in memory and before a document of theirs is read. */
export const unlessSwapping =
  (mayWrite: () => Promise<boolean>, applyChanges: ApplyChanges, sleep: Sleep): ApplyChanges =>
  async (changes) => {
    while (!(await mayWrite())) await sleep(askAgainMs)
    await applyChanges(changes)
  }

type Held = { readonly writer: string; readonly token: string }

/**
 * Replaces the live collections with the rebuilt ones. Readers see each replacement as one step. Resolves with the
 * views that were replaced: fewer than requested if the lock was broken during the swap. MongoDB ends the queries that
 * are open on the old collection, as with any rename.
 *
 * The danger: a live writer stores an event in the old documents after the rebuild has read the log for the last time.
 * The swap would lose it. The lock excludes that, although nobody waits for a write that is under way.
 *
 * The rebuild sets the lock (a majority acknowledges it), then reads where the topics end, folds all records before
 * these ends, swaps, and releases the lock. A live writer asks for the lock once for each batch, with the batch in
 * memory (`unlessSwapping`):
 *
 * 1. It sees no lock. Then the rebuild reads the ends later, so the batch is before the ends, and the rebuilt documents
 *    have all of it. However late the writer writes, and however often it tries again: a write requires that the
 *    document has the `applied` that was read, or is missing. A swapped document differs, so the write does nothing.
 *    The writer reads again and finds the batch done. So a document that was damaged before the swap stays mended.
 * 2. It sees the lock and waits. Then it reads the swapped documents. A partition is written in order, slice by slice,
 *    so its waiting slice begins at or before the end that the rebuild has read. The swapped documents have all records
 *    before that end. So no record meets a document that lacks an earlier one.
 * 3. The rebuild dies or freezes with the lock. The lock has a time limit by the server's clock. The first writer that
 *    finds it expired breaks it (`breakLock`): marks it as broken, renames the collections that are ready for the swap
 *    back, and only then writes. The rebuild works the other way round: it renames its collections to names under which
 *    nobody writes, checks that the lock is not broken, and renames them to the names of the views. If it freezes before
 *    the check, the check fails. If it freezes after the check, its rename finds no collection. Views that it swapped
 *    before the break were swapped under the lock.
 *
 * Assumption: the server that answers as the primary is the primary. One that was deposed within the second of a swap,
 * and does not know it yet, could report that there is no lock. One that was elected in that second could show the view
 * as it was before the swap.
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
