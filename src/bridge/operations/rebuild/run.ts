import type { Position } from '../../domain/log/positions.ts'
import { mongoReasonOf } from '../../mongo/classify.ts'
import type { LeasedRebuild } from '../../mongo/rebuild/rebuilds.ts'
import { printable } from '../../shared/text.ts'
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
import { compareDays, compareView } from './compare.ts'
import { findingsText, foundIn } from './differences.ts'
import { readLogs } from './places.ts'
import { catchUp, groupOf, type RebuildDeps, type Replay, startReplay } from './replay.ts'

/**
 * How a rebuild has ended. A `stopped` one can be resumed, one that is `not begun` has left nothing behind. `reached`: what every
 * view of it has at least.
 */
export type Outcome =
  | { readonly kind: 'done' | 'different'; readonly reached?: ReadonlyMap<string, Position> }
  | { readonly kind: 'refused' | 'stopped' | 'not begun'; readonly reason: string }

const interrupted: Outcome = { kind: 'stopped', reason: 'interrupted' }
const stopped = (reason: string): Outcome => ({ kind: 'stopped', reason })

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
        ? await compareDays(deps, own, folded)
        : await compareView(deps, own, view, replay)
    if (deps.signal.aborted) return interrupted
    const [count = '', ...examples] = findingsText(view, findings)
    deps.say(printable(count), { view, ...foundIn(findings) })
    for (const example of examples) deps.say(printable(example))
    different += findings.different
  }
  return { kind: different === 0 ? 'done' : 'different' }
}

/** The number of documents in a live view and in its rebuilt view. */
type Counts = { readonly view: ViewName; readonly live: number; readonly rebuilt: number }

/**
 * True if the rebuilt view is empty, the live view is not, and no record of its topics could be read. Then the topics
 * have lost their records. If records were read, an empty view can be correct: `drift` becomes empty when the person
 * with the only unknown field is erased.
 */
export const isSuspect = ({ view, live, rebuilt }: Counts, topicsRead: ReadonlySet<string>): boolean =>
  rebuilt === 0 && live > 0 && !topicsOfViews([view]).some((topic) => topicsRead.has(topic))

/** `chats: 12 documents, the live view has 15: 3 fewer`. */
export const countText = ({ view, live, rebuilt }: Counts): string => {
  const number = (count: number) => count.toLocaleString('en')
  const difference = rebuilt - live
  const named = difference === 0 ? 'as many' : `${number(Math.abs(difference))} ${difference > 0 ? 'more' : 'fewer'}`
  return `${view}: ${number(rebuilt)} documents, the live view has ${number(live)}: ${named}`
}

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
  for (const count of counts) deps.say(countText(count), count)
  const suspects = counts.filter((count) => isSuspect(count, replay.topicsRead())).map(({ view }) => view)
  if (suspects.length > 0 && !force)
    return { kind: 'refused', reason: `the log has nothing for ${suspects.join(', ')}: nothing was swapped` }
  const swapped = await swapViews(deps, own, pending, replay)
  if (swapped.length > 0) deps.say(`Swapped: ${swapped.join(', ')}.`)
  const left = pending.filter((view) => !swapped.includes(view))
  if (left.length > 0) return stopped(`the swap of ${left.join(', ')} did not finish in time`)
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
    if (replay.refused() > 0)
      deps.say(`${replay.refused()} records cannot be read or stored; they are dead letters, and in no view.`)
    return own.dryRun ? await dryRun(deps, own, pending, replay) : await goLive(deps, own, pending, replay, force)
  } finally {
    await replay.stop()
  }
}

const daysAtOnce = 50

/** Computes every day of daily_stats again, from the current views. */
const recomputeStatistics = async (
  { show, signal }: Pick<RebuildDeps, 'show' | 'signal'>,
  own: LeasedRebuild,
  begun: () => void,
): Promise<void> => {
  await own.enter('statistics')
  const days = await own.days([])
  begun()
  const bar = show('computing', 'days')
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
    return { kind: 'refused', reason: 'its collections are missing, so it can only be discarded' }
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
    if (lost.signal.aborted) return stopped('another process has taken over the rebuild')
    if (outcome.kind === 'stopped' || outcome.kind === 'refused') return outcome
    if (outcome.kind === 'done' && !own.dryRun && own.views.length === viewNames.length)
      await own.rememberTopics(outcome.reached ?? new Map())
    await forget(deps, own)
    return outcome
  } catch (error) {
    const reason = mongoReasonOf(error)
    const isGone = !hasBegun && !lost.signal.aborted && (await isForgotten(deps, own))
    return isGone ? { kind: 'not begun', reason } : stopped(reason)
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
