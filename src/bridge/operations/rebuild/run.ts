import type { Position } from '../../domain/log/positions.ts'
import { mongoReasonOf } from '../../mongo/classify.ts'
import type { LeasedRebuild } from '../../mongo/rebuild/rebuilds.ts'
import type { ViewName } from '../../views/index.ts'
import {
  changesAudits,
  changesStats,
  comparedViews,
  foldedOf,
  isComputed,
  isForEver,
  topicsOfViews,
  viewNames,
} from '../../views/index.ts'
import { progress } from '../progress.ts'
import { compareDays, compareView } from './compare.ts'
import { foundIn } from './differences.ts'
import { readLogs } from './places.ts'
import { type Counts, catchUp, groupOf, type RebuildDeps, type Replay, startReplay } from './replay.ts'

/** Why a rebuild was stopped. `swap`: that of these views did not finish in time. */
export type StopCause =
  | { readonly kind: 'interrupted' | 'taken-over' }
  | { readonly kind: 'swap'; readonly views: ReadonlyArray<ViewName> }
  | { readonly kind: 'failure'; readonly reason: string }

/** Why a rebuild goes no further. `no-records`: the log has nothing for these views. */
export type Refusal =
  | { readonly kind: 'no-records'; readonly views: ReadonlyArray<ViewName> }
  | { readonly kind: 'no-collections' }

/** How a rebuild goes no further. A `stopped` one can be resumed, one that is `not-begun` has left nothing behind. */
export type Halted =
  | { readonly kind: 'refused'; readonly why: Refusal }
  | { readonly kind: 'stopped'; readonly why: StopCause }
  | { readonly kind: 'not-begun'; readonly reason: string }

/** How a rebuild has ended. `reached`: what every view of it has at least. */
export type Outcome =
  | { readonly kind: 'done'; readonly reached?: ReadonlyMap<string, Position> }
  | { readonly kind: 'different' }
  | Halted

const stopped = (why: StopCause): Outcome => ({ kind: 'stopped', why })
const interrupted = stopped({ kind: 'interrupted' })

/** Compares all views of a dry run. `different`: at least one document differs. */
const dryRun = async (
  deps: RebuildDeps,
  own: LeasedRebuild,
  folded: ReadonlyArray<ViewName>,
  replay: Replay | undefined,
): Promise<Outcome> => {
  let different = 0
  for (const view of comparedViews(own.views)) {
    if (!isComputed(view) && replay === undefined) continue
    const findings =
      isComputed(view) || replay === undefined
        ? await compareDays(deps, own, view, folded)
        : await compareView(deps, own, view, replay)
    if (deps.signal.aborted) return interrupted
    deps.say({ kind: 'compared', view, ...foundIn(findings) })
    different += findings.different
  }
  return different === 0 ? { kind: 'done' } : { kind: 'different' }
}

/**
 * True if the rebuilt view is empty, the live view is not, and no record of its topics could be read. Then the topics
 * have lost their records. If records were read, an empty view can be correct: `drift` becomes empty when the person
 * with the only unknown field is erased.
 */
export const isSuspect = ({ view, live, rebuilt }: Counts, topicsRead: ReadonlySet<string>): boolean =>
  rebuilt === 0 && live > 0 && !topicsOfViews([view]).some((topic) => topicsRead.has(topic))

/**
 * `leaseMs`: how long the live writers wait at most. `processWithinMs`: the part of it in which the rebuild must process all
 * records that existed when the wait began.
 */
const leaseMs = 20_000
const processWithinMs = 8_000
const checkSwapEveryMs = 10
const swapTries = 5

const processRest = async ({ kafka, sleep, clock }: RebuildDeps, views: ReadonlyArray<ViewName>, replay: Replay) => {
  const deadline = clock() + processWithinMs
  // Read after the lock is acquired: src/bridge/mongo/rebuild/swap.ts says why that is enough.
  const logs = await readLogs(kafka, topicsOfViews(views))
  while (!replay.check(logs).isReached) {
    if (clock() > deadline) return false
    await sleep(checkSwapEveryMs)
  }
  return true
}

/** One attempt. Returns the views that are live now. */
const trySwap = async (
  deps: RebuildDeps,
  own: LeasedRebuild,
  views: ReadonlyArray<ViewName>,
  replay: Replay,
): Promise<ReadonlyArray<ViewName>> => {
  const token = await own.lock(leaseMs)
  if (token === undefined) throw new Error('the rebuild was taken over by another process')
  let swapped: ReadonlyArray<ViewName> = []
  try {
    if (await processRest(deps, views, replay)) {
      await replay.hold()
      swapped = await own.swap(token, views)
    }
  } finally {
    await own.unlock(token)
  }
  // After a swap the rebuilt view has no collection of its own. So the replay stays on hold and writes nothing more.
  if (swapped.length === 0) replay.release()
  return swapped
}

/** Replaces the live views with the rebuilt ones. Resolves with the views that were swapped. */
const swapViews = async (
  deps: RebuildDeps,
  own: LeasedRebuild,
  views: ReadonlyArray<ViewName>,
  replay: Replay,
): Promise<ReadonlyArray<ViewName>> => {
  await own.enter('swapping')
  for (let tried = 1; ; tried++) {
    const swapped = await trySwap(deps, own, views, replay)
    if (swapped.length > 0 || tried === swapTries || deps.signal.aborted) return swapped
    await deps.sleep(1_000, deps.signal)
  }
}

/** Reports the counts, and swaps the views unless a count is suspect and `force` is false. */
const goLive = async (
  deps: RebuildDeps,
  own: LeasedRebuild,
  pending: ReadonlyArray<ViewName>,
  replay: Replay,
  force: boolean,
): Promise<Outcome> => {
  for (const view of pending.filter(isForEver)) await own.keepOthers(view)
  const counts = await Promise.all(pending.map(async (view) => ({ view, ...(await own.count(view)) })))
  for (const count of counts) deps.say({ kind: 'counted', ...count })
  const suspects = counts.filter((count) => isSuspect(count, replay.topicsRead())).map(({ view }) => view)
  if (suspects.length > 0 && !force) return { kind: 'refused', why: { kind: 'no-records', views: suspects } }
  const swapped = await swapViews(deps, own, pending, replay)
  if (swapped.length > 0) deps.say({ kind: 'swapped', views: swapped })
  const left = pending.filter((view) => !swapped.includes(view))
  if (left.length > 0) return stopped({ kind: 'swap', views: left })
  return { kind: 'done', ...(pending.length === foldedOf(own.views).length && { reached: replay.reached() }) }
}

const replayAndSwap = async (
  deps: RebuildDeps,
  own: LeasedRebuild,
  pending: ReadonlyArray<ViewName>,
  force: boolean,
): Promise<Outcome> => {
  const wanted = new Set<string>(pending)
  const replay = await startReplay(deps, {
    group: groupOf(own.writer),
    topics: topicsOfViews(pending),
    allowGaps: force || own.dryRun,
    from: new Map(Object.entries(own.positions)),
    findErased: own.findErased,
    inViews: own.inViews,
    applyChanges: (changes) => own.applyChanges(changes.filter(({ view }) => wanted.has(view))),
  })
  try {
    await catchUp(deps, topicsOfViews(pending), replay)
    if (deps.signal.aborted) return interrupted
    if (replay.refused() > 0) deps.say({ kind: 'refused', records: replay.refused() })
    return own.dryRun ? await dryRun(deps, own, pending, replay) : await goLive(deps, own, pending, replay, force)
  } finally {
    await replay.stop()
  }
}

const daysAtOnce = 50

/** Computes every day of daily_stats again, from the current views. */
const recomputeStatistics = async (
  { say, signal }: Pick<RebuildDeps, 'say' | 'signal'>,
  own: LeasedRebuild,
  begun: () => void,
): Promise<void> => {
  await own.enter('statistics')
  const days = await own.days([])
  begun()
  const bar = progress(say, 'computing')
  let done = 0
  for (let from = 0; from < days.length && !signal.aborted; from += daysAtOnce)
    await own.recomputeDays(days.slice(from, from + daysAtOnce), (more) => {
      done += more
      bar.at({ done, total: days.length })
    })
  if (!signal.aborted) await own.noteTimeZones()
  bar.end()
}

/** Calls `begun` before the first step that an interrupted rebuild need not repeat, or that readers of views see. */
const steps = async (deps: RebuildDeps, own: LeasedRebuild, force: boolean, begun: () => void): Promise<Outcome> => {
  const folded = foldedOf(own.views)
  if (own.phase === 'creating') {
    await own.make(folded)
    await own.enter('replaying')
  }
  if (folded.length > 0) begun()
  const left = folded.filter((view) => !own.swapped.includes(view))
  const pending = await own.made(left)
  if (own.phase === 'replaying' && pending.length < left.length)
    return { kind: 'refused', why: { kind: 'no-collections' } }
  const replayed = pending.length > 0 ? await replayAndSwap(deps, own, pending, force) : undefined
  if (replayed !== undefined && (replayed.kind !== 'done' || own.dryRun)) return replayed
  if (own.dryRun) return dryRun(deps, own, [], undefined)
  await own.noteVersions(folded)
  if (folded.some(changesAudits)) await own.markAudits()
  if (changesStats(own.views)) await recomputeStatistics(deps, own, begun)
  return deps.signal.aborted ? interrupted : (replayed ?? { kind: 'done' })
}

const beatEveryMs = 2_000

/**
 * Runs or resumes a rebuild that this process has leased. Afterwards the rebuild is finished and cleaned up, or it can
 * be resumed. `force`: also swaps views for which the log has no records.
 */
export const runRebuild = async (deps: RebuildDeps, own: LeasedRebuild, force: boolean): Promise<Outcome> => {
  // A rebuild that is resumed has begun before.
  let hasBegun = own.phase !== 'creating'
  const begun = () => {
    hasBegun = true
  }
  const lost = new AbortController()
  const beating = setInterval(async () => {
    if (!(await own.renewLease().catch(() => true))) lost.abort()
  }, beatEveryMs)
  const signal = AbortSignal.any([deps.signal, lost.signal])
  try {
    const outcome = await steps({ ...deps, signal }, own, force, begun)
    if (lost.signal.aborted) return stopped({ kind: 'taken-over' })
    if (outcome.kind === 'stopped' || outcome.kind === 'refused') return outcome
    if (outcome.kind === 'done' && !own.dryRun && own.views.length === viewNames.length)
      await own.rememberTopics(outcome.reached ?? new Map())
    await forget(deps, own)
    return outcome
  } catch (error) {
    const reason = mongoReasonOf(error)
    const isGone = !hasBegun && !lost.signal.aborted && (await isForgotten(deps, own))
    return isGone ? { kind: 'not-begun', reason } : stopped({ kind: 'failure', reason })
  } finally {
    clearInterval(beating)
    await own.letGo().catch(() => undefined)
  }
}

/** Removes everything that is left of a rebuild. */
export const forget = async ({ kafka }: Pick<RebuildDeps, 'kafka'>, own: LeasedRebuild): Promise<void> => {
  for (const writer of own.writers) await kafka.forgetGroup(groupOf(writer))
  await own.forget()
}

/** False if it cannot be removed now, such as while MongoDB is unavailable. */
const isForgotten = async (deps: Pick<RebuildDeps, 'kafka'>, own: LeasedRebuild): Promise<boolean> =>
  forget(deps, own).then(
    () => true,
    () => false,
  )
