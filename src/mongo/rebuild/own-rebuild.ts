import type { Db } from 'mongodb'
import type { ViewName, Views } from '../../../contracts/views.ts'
import type { ApplyChanges, Sleep } from '../../domain/ports.ts'
import type { CollectionOf } from '../apply.ts'
import { applyWith } from '../apply.ts'
import { classify } from '../classify.ts'
import { optimisticUpdate } from '../optimistic-update.ts'
import { readPresent, writeIfUnchanged } from '../store.ts'
import { writeBatcher } from '../write-batcher.ts'
import { countBoth, dropAll, makeRebuilt } from './collections.ts'
import { pairsAgain, pairsOf, type ReadPairs } from './compare.ts'
import { rebuiltName, swapName } from './names.ts'
import { madeOf } from './recover.ts'
import { beat, forgetRebuild, letGo, noteRebuild, type Phase, type RebuildDocument } from './state.ts'
import { allDays, type Day, readDay, recomputeDays } from './stats.ts'
import { swapIn } from './swap.ts'
import { acquireLock, breakLock } from './swap-lock.ts'

type Begun = Pick<RebuildDocument, 'views' | 'dryRun' | 'phase' | 'writers' | 'positions' | 'swapped'>

/** A rebuild that this process is at. `folded` are always views that are folded from topics. */
export type OwnRebuild = Begun & {
  /** Names its collections and its consumer group. */
  readonly writer: string
  readonly enter: (phase: Phase) => Promise<void>
  /** A sign of life; false where it is another's by now. */
  readonly beat: () => Promise<boolean>
  /** Makes its collections with every index. */
  readonly make: (folded: ReadonlyArray<ViewName>) => Promise<void>
  /** Those whose collections are there. */
  readonly made: (folded: ReadonlyArray<ViewName>) => Promise<ReadonlyArray<ViewName>>
  /** Into its own collections. */
  readonly applyChanges: ApplyChanges
  readonly count: (view: ViewName) => Promise<{ readonly live: number; readonly rebuilt: number }>
  readonly pairs: (view: ViewName) => AsyncGenerator<ReadPairs>
  readonly pairsAgain: (view: ViewName, ids: ReadonlyArray<string>) => ReadPairs
  /** The days of its own documents where it has folded a view, and of the live ones elsewhere. */
  readonly days: (folded: ReadonlyArray<ViewName>) => Promise<ReadonlyArray<string>>
  readonly day: (id: string, folded: ReadonlyArray<ViewName>) => Promise<Day>
  readonly recomputeDays: (ids: ReadonlyArray<string>, done: (days: number) => void) => Promise<void>
  /** Holds the live writers back (swap.ts); undefined where the rebuild is another's by now. */
  readonly lock: (leaseMs: number) => Promise<string | undefined>
  readonly swap: (token: string, views: ReadonlyArray<ViewName>) => Promise<ReadonlyArray<ViewName>>
  /** Lets the live writers go on, whatever of the swap was done. */
  readonly unlock: (token: string) => Promise<void>
  /** Leaves it as interrupted. */
  readonly letGo: () => Promise<void>
  /** Drops what is left of it: it is finished, or discarded. */
  readonly forget: () => Promise<void>
}

type Deps = { readonly db: Db; readonly sleep: Sleep }

export const ownRebuild = ({ db, sleep }: Deps, writer: string, begun: Begun): OwnRebuild => {
  const { views, writers } = begun
  const own: CollectionOf = (view) => rebuiltName(view, writer)
  const ownOf =
    (folded: ReadonlyArray<ViewName>): CollectionOf =>
    (view) =>
      folded.includes(view) ? own(view) : view
  const updateDocuments = optimisticUpdate<Views[ViewName]>({
    read: readPresent(db, 'majority'),
    write: writeIfUnchanged(db),
    announce: async () => async () => {},
    mayWrite: async () => true,
    sleep,
  })
  return {
    ...begun,
    writer,
    enter: (next) => noteRebuild(db, writer, { phase: next }),
    beat: () => beat(db, writer),
    make: (folded) => makeRebuilt(db, folded, writer),
    made: (folded) => madeOf(db, folded, writer),
    applyChanges: writeBatcher({ applyChanges: applyWith(updateDocuments, own), classify, sleep }),
    count: (view) => countBoth(db, view, writer),
    pairs: (view) => pairsOf(db, view, writer),
    pairsAgain: (view, ids) => pairsAgain(db, view, writer, ids),
    days: (folded) => allDays(db, ownOf(folded)),
    day: (id, folded) => readDay(db, id, ownOf(folded)),
    recomputeDays: (ids, done) => recomputeDays(db, ids, done),
    lock: (leaseMs) => acquireLock(db, writer, leaseMs),
    swap: async (token, wanted) => {
      const swapped = await swapIn(db, { writer, token }, wanted)
      if (swapped.length > 0) await noteRebuild(db, writer, { swapped: [...begun.swapped, ...swapped] })
      return swapped
    },
    unlock: (token) => breakLock(db, { views, lock: { token, writer } }),
    letGo: () => letGo(db, writer),
    forget: async () => {
      // Its own names only: were it another's by now, that one's collections would have other names.
      const names = views.flatMap((view) => writers.flatMap((each) => [rebuiltName(view, each), swapName(view, each)]))
      await dropAll(db, names)
      await forgetRebuild(db, writer)
    },
  }
}
