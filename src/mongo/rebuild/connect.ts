import { randomBytes } from 'node:crypto'
import type { ViewName } from '../../../contracts/views.ts'
import type { Sleep } from '../../domain/ports.ts'
import { type MongoLocation, mongoClient, within } from '../client.ts'
import { dropAll, leftIn } from './collections.ts'
import { type OwnRebuild, ownRebuild } from './own-rebuild.ts'
import { type CommittedBy, handOver } from './recover.ts'
import { beginRebuild, type RebuildDocument, readRebuild, takeOver } from './state.ts'

export type Rebuilds = {
  readonly unfinished: () => Promise<(RebuildDocument & { readonly isRunning: boolean }) | undefined>
  /** Undefined where there is an unfinished one. */
  readonly begin: (views: ReadonlyArray<ViewName>, dryRun: boolean) => Promise<OwnRebuild | undefined>
  /** Goes on with the unfinished one; undefined where somebody else is at it, or there is none. */
  readonly resume: (committedBy: CommittedBy) => Promise<OwnRebuild | undefined>
  readonly stop: () => Promise<void>
}

/** Counting and indexing a large collection may take minutes. */
const socketTimeoutMS = 600_000
const closeMs = 3_000

/** MongoDB as a rebuild needs it; connects at the first use. Throws on a malformed URL. */
export const connectRebuilds = (location: MongoLocation, { sleep }: { readonly sleep: Sleep }): Rebuilds => {
  const client = mongoClient(location, { socketTimeoutMS })
  const db = client.db(location.database)
  const newOwner = () => randomBytes(6).toString('hex')
  const deps = { db, sleep }
  return {
    unfinished: () => readRebuild(db),
    begin: async (views, dryRun) => {
      const owner = newOwner()
      const left = await leftIn(db)
      if (!(await beginRebuild(db, owner, views, dryRun))) return undefined
      await dropAll(db, left)
      return ownRebuild(deps, owner, { views, dryRun, phase: 'creating', writers: [owner], positions: {}, swapped: [] })
    },
    resume: async (committedBy) => {
      const owner = newOwner()
      if (!(await takeOver(db, owner))) return undefined
      const rebuild = await readRebuild(db)
      if (rebuild === undefined) return undefined
      return ownRebuild(deps, owner, await handOver(db, rebuild, owner, committedBy))
    },
    stop: () => within(closeMs, client.close(true)).catch(() => undefined),
  }
}
