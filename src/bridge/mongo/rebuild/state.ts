import type { Db } from 'mongodb'
import type { TopicIds } from '../../domain/log/positions.ts'
import type { ViewName } from '../../views/index.ts'
import { unlessThere } from '../classify.ts'
import { rejectAfter, stepMs } from '../client.ts'

// Two words of this folder: a writer is a process that works on a rebuild and writes its collections. A live writer is
// a process that writes the live views, such as the projector.

export type Phase = 'creating' | 'replaying' | 'swapping' | 'statistics'

/** The lock that makes the live writers wait while views are swapped. `until` is by the server's clock. */
export type SwapLock = {
  readonly token: string
  readonly writer: string
  readonly until: Date
  readonly broken?: boolean
}

/** The one rebuild that is not finished. */
export type RebuildDocument = {
  readonly _id: 'current'
  readonly views: ReadonlyArray<ViewName>
  readonly dryRun: boolean
  readonly phase: Phase
  /** The writers that have worked on it, the newest last. Each has its own collections and consumer group. */
  readonly writers: ReadonlyArray<string>
  /** By `<topic>/<partition>`, where the newest writer begins. Earlier writers have processed all records before it. */
  readonly positions: Readonly<Record<string, number>>
  /** The ids of the topics from which it is made. Positions have no meaning in another topic. */
  readonly topicIds?: Readonly<Record<string, string>>
  /** The views that were swapped and are live already. */
  readonly swapped: ReadonlyArray<ViewName>
  readonly startedAt: Date
  /** The last renewal of the owner's lease. `owner` is missing after the owner has released the rebuild. */
  readonly aliveAt: Date
  readonly owner?: string
  readonly lock?: SwapLock
}

const silentMs = 10_000

export const rebuilds = (db: Db) => db.collection<RebuildDocument>('rebuilds')

const current = { _id: 'current' as const }
const isSilent = { $lt: ['$aliveAt', { $subtract: ['$$NOW', silentMs] }] }

/** The unfinished rebuild, and whether a process works on it now. */
export const readRebuild = async (db: Db): Promise<(RebuildDocument & { readonly isRunning: boolean }) | undefined> => {
  const [rebuild] = await rejectAfter(
    stepMs,
    rebuilds(db)
      .aggregate<RebuildDocument & { isSilent: boolean }>([{ $match: current }, { $set: { isSilent } }])
      .toArray(),
  )
  return rebuild && { ...rebuild, isRunning: rebuild.owner !== undefined && !rebuild.isSilent }
}

/** False if there is an unfinished rebuild already. */
export const beginRebuild = async (
  db: Db,
  owner: string,
  views: ReadonlyArray<ViewName>,
  dryRun: boolean,
  topicIds: TopicIds,
): Promise<boolean> => {
  const times = { startedAt: '$$NOW', aliveAt: '$$NOW' }
  const state = {
    views,
    dryRun,
    phase: 'creating',
    writers: [owner],
    positions: { $literal: {} },
    topicIds: { $literal: Object.fromEntries(topicIds) },
    swapped: [],
    owner,
    ...times,
  }
  const begun = rebuilds(db).updateOne({ ...current, owner }, [{ $set: state }], { upsert: true })
  return unlessThere(rejectAfter(stepMs, begun))
}

/** Makes `owner` the owner of the rebuild. False if another process works on it, or there is none. */
export const takeOver = async (db: Db, owner: string): Promise<boolean> => {
  const filter = { ...current, $or: [{ owner: { $exists: false } }, { $expr: isSilent }] }
  const update = [{ $set: { owner, aliveAt: '$$NOW' } }]
  return (await rejectAfter(stepMs, rebuilds(db).updateOne(filter, update))).matchedCount > 0
}

/** Renews the lease. False if another process owns the rebuild now. */
export const renewLease = async (db: Db, owner: string): Promise<boolean> => {
  const update = { $currentDate: { aliveAt: true as const } }
  return (await rejectAfter(stepMs, rebuilds(db).updateOne({ ...current, owner }, update))).matchedCount > 0
}

/** Throws if another process owns the rebuild now. */
export const noteRebuild = async (
  db: Db,
  owner: string,
  change: Partial<Pick<RebuildDocument, 'phase' | 'positions' | 'writers' | 'swapped'>>,
): Promise<void> => {
  const { matchedCount } = await rejectAfter(stepMs, rebuilds(db).updateOne({ ...current, owner }, { $set: change }))
  if (matchedCount === 0) throw new Error('the rebuild was taken over by another process')
}

/** Releases the rebuild, which then counts as interrupted. */
export const letGo = async (db: Db, owner: string): Promise<void> => {
  await rejectAfter(stepMs, rebuilds(db).updateOne({ ...current, owner }, { $unset: { owner: '' } }))
}

/** Deletes the state of a finished or discarded rebuild. */
export const forgetRebuild = async (db: Db, owner: string): Promise<void> => {
  await rejectAfter(stepMs, rebuilds(db).deleteOne({ ...current, owner }))
}
