import { randomBytes } from 'node:crypto'
import type { Db } from 'mongodb'
import type { Position, TopicIds } from '../../domain/log/positions.ts'
import { erasedFinder, type FindErased } from '../../domain/person/erased.ts'
import { monotonic, type Sleep } from '../../shared/time.ts'
import type { ApplyChanges, ViewDocument } from '../../views/document.ts'
import type { ViewName } from '../../views/index.ts'
import type { TimeZoneOf } from '../../views/stats-days.ts'
import { applyWith } from '../apply.ts'
import { classify } from '../classify.ts'
import { type MongoLocation, mongoClient, rejectAfter } from '../client.ts'
import { erasuresIn } from '../erasures.ts'
import { optimisticUpdate } from '../optimistic-update.ts'
import { allDays, type Day, noteTimeZones, readDay, recomputeDays } from '../stats-recompute.ts'
import { type CollectionOf, idsWhere, readPresent, readsIn, writeIfUnchanged } from '../store.ts'
import { type TopicsRead, topicsReadIn } from '../topics-read.ts'
import { markAllAudited } from '../transcript-audits.ts'
import { viewVersionsIn } from '../view-versions.ts'
import { writeBatcher } from '../write-batcher.ts'
import {
  countBoth,
  dropAll,
  keepOthers,
  leftIn,
  makeRebuilt,
  namesIn,
  pairsOf,
  type ReadPairs,
  readPairs,
  rebuiltName,
  rename,
  swapName,
} from './collections.ts'
import {
  beginRebuild,
  forgetRebuild,
  letGo,
  noteRebuild,
  type Phase,
  type RebuildDocument,
  readRebuild,
  renewLease,
  takeOver,
} from './state.ts'
import { acquireLock, breakLock, swapIn } from './swap.ts'

type Begun = Pick<RebuildDocument, 'views' | 'dryRun' | 'phase' | 'writers' | 'positions' | 'topicIds' | 'swapped'>

/** A rebuild whose lease this process holds. `folded` are always views that are folded from topics. */
export type LeasedRebuild = Begun & {
  /** A part of the names of its collections and of its consumer group. */
  readonly writer: string
  readonly enter: (phase: Phase) => Promise<void>
  /** Renews the lease. False if another process owns the rebuild now. */
  readonly renewLease: () => Promise<boolean>
  /** Creates its collections with every index. */
  readonly make: (folded: ReadonlyArray<ViewName>) => Promise<void>
  /** Those of the views whose rebuilt collections exist. */
  readonly made: (folded: ReadonlyArray<ViewName>) => Promise<ReadonlyArray<ViewName>>
  /** Applies changes to its own collections. */
  readonly applyChanges: ApplyChanges
  readonly findErased: FindErased
  /** Adds the live documents that the rebuilt view lacks. */
  readonly keepOthers: (view: ViewName) => Promise<void>
  readonly count: (view: ViewName) => Promise<{ readonly live: number; readonly rebuilt: number }>
  readonly pairs: (view: ViewName) => AsyncGenerator<ReadPairs>
  readonly pairsAgain: (view: ViewName, ids: ReadonlyArray<string>) => ReadPairs
  /** The days of the rebuilt documents of `folded` views, and of the live documents of other views. */
  readonly days: (folded: ReadonlyArray<ViewName>) => Promise<ReadonlyArray<string>>
  readonly day: (id: string, folded: ReadonlyArray<ViewName>) => Promise<Day>
  readonly recomputeDays: (ids: ReadonlyArray<string>, done: (days: number) => void) => Promise<void>
  /** Makes the live writers wait (swap.ts). Undefined if another process owns the rebuild now. */
  readonly lock: (leaseMs: number) => Promise<string | undefined>
  readonly swap: (token: string, views: ReadonlyArray<ViewName>) => Promise<ReadonlyArray<ViewName>>
  /** Lets the live writers continue, even if the swap is incomplete. */
  readonly unlock: (token: string) => Promise<void>
  /** Records that every day is in its account's present time zone (stats-recompute.ts). */
  readonly noteTimeZones: () => Promise<void>
  /** Records that the live documents of these views have the present version (view-versions.ts). */
  readonly noteVersions: (folded: ReadonlyArray<ViewName>) => Promise<void>
  /** Marks every finished session for a new comparison with timeline (transcript-audits.ts). */
  readonly markAudits: () => Promise<void>
  /** What is known of the topics from which the live views are made. */
  readonly inViews: TopicsRead['inViews']
  /** Records that the views are made from its topics from now on, up to these positions at least. */
  readonly rememberTopics: (reached: ReadonlyMap<string, Position>) => Promise<void>
  /** Releases the rebuild, which then counts as interrupted. */
  readonly letGo: () => Promise<void>
  /** Deletes its collections and its state. The rebuild is finished or discarded. */
  readonly forget: () => Promise<void>
}

type Deps = { readonly db: Db; readonly sleep: Sleep; readonly timeZoneOf: TimeZoneOf }

/** Positions in these topics, by topic and partition. */
const byTopic = (positions: ReadonlyMap<string, Position>, topics: Readonly<Record<string, string>>) =>
  new Map(
    Object.keys(topics).map((topic) => {
      const own = [...positions].filter(([source]) => source.startsWith(`${topic}/`))
      return [
        topic,
        new Map(own.map(([source, position]) => [Number(source.slice(topic.length + 1)), position])),
      ] as const
    }),
  )

const leasedRebuild = ({ db, sleep, timeZoneOf }: Deps, writer: string, begun: Begun): LeasedRebuild => {
  const { views, writers, topicIds = {} } = begun
  const own: CollectionOf = (view) => rebuiltName(view, writer)
  const ownOf =
    (folded: ReadonlyArray<ViewName>): CollectionOf =>
    (view) =>
      folded.some((each) => each === view) ? own(view) : view
  const updateDocuments = optimisticUpdate<ViewDocument>({
    read: readPresent(db, 'majority'),
    write: writeIfUnchanged(db),
    written: async () => {},
    sleep,
  })
  return {
    ...begun,
    writer,
    enter: (next) => noteRebuild(db, writer, { phase: next }),
    renewLease: () => renewLease(db, writer),
    make: (folded) => makeRebuilt(db, folded, writer),
    made: (folded) => madeOf(db, folded, writer),
    applyChanges: writeBatcher({
      applyChanges: applyWith(updateDocuments, idsWhere(db), ownOf(views), readsIn(db, ownOf(views))),
      classify,
    }),
    findErased: erasedFinder({ ...erasuresIn(db), clock: monotonic }),
    keepOthers: (view) => keepOthers(db, view, writer),
    count: (view) => countBoth(db, view, writer),
    pairs: (view) => pairsOf(db, view, writer),
    pairsAgain: (view, ids) => readPairs(db, view, writer, ids),
    days: (folded) => allDays(db, timeZoneOf, ownOf(folded)),
    day: (id, folded) => readDay(db, timeZoneOf, id, ownOf(folded)),
    recomputeDays: (ids, done) => recomputeDays(db, timeZoneOf, ids, done),
    lock: (leaseMs) => acquireLock(db, writer, leaseMs),
    swap: async (token, wanted) => {
      const swapped = await swapIn(db, { writer, token }, wanted)
      if (swapped.length > 0) await noteRebuild(db, writer, { swapped: [...begun.swapped, ...swapped] })
      return swapped
    },
    unlock: (token) => breakLock(db, { views, lock: { token, writer } }),
    noteTimeZones: () => noteTimeZones(db, timeZoneOf),
    noteVersions: (folded) => viewVersionsIn(db).note(folded),
    markAudits: () => markAllAudited(db),
    inViews: topicsReadIn(db).inViews,
    rememberTopics: (reached) =>
      topicsReadIn(db).remember('views', Object.entries(topicIds), byTopic(reached, topicIds)),
    letGo: () => letGo(db, writer),
    forget: async () => {
      // Only the names of these writers. If another process owns the rebuild now, its collections have other names.
      const names = views.flatMap((view) => writers.flatMap((each) => [rebuiltName(view, each), swapName(view, each)]))
      await dropAll(db, names)
      await forgetRebuild(db, writer)
    },
  }
}

/** The next offset that each partition needs, by `<topic>/<partition>`. */
type Positions = ReadonlyMap<string, number>

/** The offsets that a writer has committed. */
type CommittedBy = (writer: string) => Promise<Positions>

const furthest = (before: RebuildDocument['positions'], committed: Positions) => {
  const all = new Map(Object.entries(before))
  for (const [source, position] of committed) all.set(source, Math.max(position, all.get(source) ?? 0))
  return Object.fromEntries(all)
}

/**
 * Hands an interrupted rebuild to a new writer, wherever it stopped. The previous writer may be frozen, not dead. So
 * this function first reads what the previous writer has committed, and then renames its collections for the new
 * writer. When the previous writer wakes up, it uses collections and a consumer group that no other process uses. The
 * renamed collections have everything that it had committed.
 */
const handOver = async (
  db: Db,
  rebuild: RebuildDocument,
  owner: string,
  committedBy: CommittedBy,
): Promise<RebuildDocument> => {
  await breakLock(db, rebuild)
  const last = rebuild.writers.at(-1)
  const positions = furthest(rebuild.positions, last === undefined ? new Map() : await committedBy(last))
  const writers = [...rebuild.writers, owner]
  await noteRebuild(db, owner, { positions, writers })
  const names = await namesIn(db)
  for (const view of rebuild.views.filter((each) => !rebuild.swapped.includes(each))) {
    // A late write may have created a collection again after its renaming. The last existing name is the right one.
    const furthestName = rebuild.writers
      .flatMap((writer) => [rebuiltName(view, writer), swapName(view, writer)])
      .findLast((name) => names.has(name))
    if (furthestName !== undefined) await rename(db, furthestName, rebuiltName(view, owner))
  }
  const { lock, ...rest } = rebuild
  return { ...rest, owner, positions, writers }
}

/** Those of the views whose rebuilt collections exist. */
const madeOf = async (db: Db, views: ReadonlyArray<ViewName>, writer: string): Promise<ReadonlyArray<ViewName>> => {
  const names = await namesIn(db)
  return views.filter((view) => names.has(rebuiltName(view, writer)))
}

export type Rebuilds = {
  readonly unfinished: () => Promise<(RebuildDocument & { readonly isRunning: boolean }) | undefined>
  /** Undefined if there is an unfinished rebuild. */
  readonly begin: (
    views: ReadonlyArray<ViewName>,
    dryRun: boolean,
    topicIds: TopicIds,
  ) => Promise<LeasedRebuild | undefined>
  /** Resumes the unfinished rebuild. Undefined if another process works on it or there is none. */
  readonly resume: (committedBy: CommittedBy) => Promise<LeasedRebuild | undefined>
  readonly stop: () => Promise<void>
}

/** Counting and indexing a large collection may take minutes. */
const socketTimeoutMS = 600_000
const closeMs = 3_000

/** The functions of MongoDB that a rebuild needs. Connects at the first use. Throws on a malformed URL. */
export const connectRebuilds = (
  location: MongoLocation,
  { sleep, timeZoneOf = () => 'UTC' }: { readonly sleep: Sleep; readonly timeZoneOf?: TimeZoneOf },
): Rebuilds => {
  const client = mongoClient(location, { socketTimeoutMS })
  const db = client.db(location.database)
  const newOwner = () => randomBytes(6).toString('hex')
  const deps = { db, sleep, timeZoneOf }
  return {
    unfinished: () => readRebuild(db),
    begin: async (views, dryRun, topicIds) => {
      const owner = newOwner()
      const left = await leftIn(db)
      if (!(await beginRebuild(db, owner, views, dryRun, topicIds))) return undefined
      await dropAll(db, left)
      return leasedRebuild(deps, owner, {
        views,
        dryRun,
        phase: 'creating',
        writers: [owner],
        positions: {},
        swapped: [],
        topicIds: Object.fromEntries(topicIds),
      })
    },
    resume: async (committedBy) => {
      const owner = newOwner()
      if (!(await takeOver(db, owner))) return undefined
      const rebuild = await readRebuild(db)
      if (rebuild === undefined) return undefined
      return leasedRebuild(deps, owner, await handOver(db, rebuild, owner, committedBy))
    },
    stop: () => rejectAfter(closeMs, client.close(true)).catch(() => undefined),
  }
}
