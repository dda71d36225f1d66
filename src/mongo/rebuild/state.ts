import type { Db } from 'mongodb'
import type { ViewName } from '../../../contracts/views.ts'
import type { TopicIds } from '../../domain/ports.ts'
import { duplicateKey } from '../classify.ts'
import { within } from '../client.ts'

export type Phase = 'creating' | 'replaying' | 'swapping' | 'statistics'

/** What holds the live writers back while views are swapped; `until` is the server's time. */
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
  /** Who has worked on it, the newest last: each has collections and a consumer group of its own, named after it. */
  readonly writers: ReadonlyArray<string>
  /** By `<topic>/<partition>`: where the newest writer begins, what those before it have taken in. */
  readonly positions: Readonly<Record<string, number>>
  /** From which topics it is made, by their ids; positions mean nothing in another topic. */
  readonly topicIds?: Readonly<Record<string, string>>
  /** Those of its views that are live already. */
  readonly swapped: ReadonlyArray<ViewName>
  readonly startedAt: Date
  /** The last sign of its owner, which is missing once the owner has let go of it. */
  readonly aliveAt: Date
  readonly owner?: string
  readonly lock?: SwapLock
}

const stepMs = 10_000
const silentMs = 10_000

export const rebuilds = (db: Db) => db.collection<RebuildDocument>('rebuilds')

const current = { _id: 'current' as const }
const isSilent = { $lt: ['$aliveAt', { $subtract: ['$$NOW', silentMs] }] }

/** The unfinished rebuild, and whether somebody is at it now. */
export const readRebuild = async (db: Db): Promise<(RebuildDocument & { readonly isRunning: boolean }) | undefined> => {
  const [rebuild] = await within(
    stepMs,
    rebuilds(db)
      .aggregate<RebuildDocument & { isSilent: boolean }>([{ $match: current }, { $set: { isSilent } }])
      .toArray(),
  )
  return rebuild && { ...rebuild, isRunning: rebuild.owner !== undefined && !rebuild.isSilent }
}

/** False where there is an unfinished one already. */
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
  try {
    await within(stepMs, rebuilds(db).updateOne({ ...current, owner }, [{ $set: state }], { upsert: true }))
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === duplicateKey) return false
    throw error
  }
}

/** Makes a rebuild the owner's; false where somebody else is at it, or it is gone. */
export const takeOver = async (db: Db, owner: string): Promise<boolean> => {
  const filter = { ...current, $or: [{ owner: { $exists: false } }, { $expr: isSilent }] }
  const update = [{ $set: { owner, aliveAt: '$$NOW' } }]
  return (await within(stepMs, rebuilds(db).updateOne(filter, update))).matchedCount > 0
}

/** Renews the lease; false where another process owns the rebuild by now. */
export const renewLease = async (db: Db, owner: string): Promise<boolean> => {
  const update = { $currentDate: { aliveAt: true as const } }
  return (await within(stepMs, rebuilds(db).updateOne({ ...current, owner }, update))).matchedCount > 0
}

/** Throws where the rebuild is another's by now. */
export const noteRebuild = async (
  db: Db,
  owner: string,
  change: Partial<Pick<RebuildDocument, 'phase' | 'positions' | 'writers' | 'swapped'>>,
): Promise<void> => {
  const { matchedCount } = await within(stepMs, rebuilds(db).updateOne({ ...current, owner }, { $set: change }))
  if (matchedCount === 0) throw new Error('the rebuild was taken over by another process')
}

/** Leaves it as interrupted. */
export const letGo = async (db: Db, owner: string): Promise<void> => {
  await within(stepMs, rebuilds(db).updateOne({ ...current, owner }, { $unset: { owner: '' } }))
}

/** It is finished, or discarded. */
export const forgetRebuild = async (db: Db, owner: string): Promise<void> => {
  await within(stepMs, rebuilds(db).deleteOne({ ...current, owner }))
}
