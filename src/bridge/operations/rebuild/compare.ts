import { viewsGroup } from '../../domain/consumer-groups.ts'
import type { ReadPairs } from '../../mongo/rebuild/collections.ts'
import type { LeasedRebuild } from '../../mongo/rebuild/rebuilds.ts'
import type { Day } from '../../mongo/stats-recompute.ts'
import type { ViewName } from '../../views/index.ts'
import { overflowOf, topicsOfViews } from '../../views/index.ts'
import { progress } from '../progress.ts'
import {
  compare,
  differingFields,
  type Findings,
  found,
  isOlder,
  noFindings,
  type Verdict,
  withRoom,
} from './differences.ts'
import { committedPositions, type Positions, placesOf, readLogs } from './places.ts'
import type { RebuildDeps, Replay } from './replay.ts'

const viewRounds = 20
// Longer than the time between two commits of the projector.
const pauseMs = 500
const idsAtOnce = 300

type Deps = Pick<RebuildDeps, 'kafka' | 'say' | 'sleep' | 'signal'>

type Judged = { readonly id: string; readonly verdict: Verdict }

const text = (positions: Positions) => JSON.stringify([...positions].sort())

const comparing = ({ kafka }: Deps, own: LeasedRebuild, view: ViewName, replay: Replay) => {
  const topics = topicsOfViews([view])
  /** The positions that both sides have processed; 0 where there is none yet. */
  const now = async () => {
    const [logs, committed] = await Promise.all([
      readLogs(kafka, topics),
      committedPositions(kafka, viewsGroup, topics),
    ])
    const at = (positions: Positions) => new Map([...logs.keys()].map((key) => [key, positions.get(key) ?? 0]))
    return { live: at(committed), rebuilt: at(replay.positions()) }
  }
  const judge = async (findings: Findings, read: ReadPairs): Promise<Findings> => {
    const known = await now()
    const pairs = await read()
    const logs = placesOf(await readLogs(kafka, topics), new Map())
    const judged = pairs.map(({ id, live, rebuilt }): Judged => {
      const isOld = isOlder(view, live, Date.now())
      return { id, verdict: isOld ? { kind: 'older' } : compare(live, rebuilt, { ...known, logs }) }
    })
    return (await withRooms(judged)).reduce((all, { id, verdict }) => found(all, id, verdict), findings)
  }
  /** Reads, for each account with a difference, whether a side has no room for some of its documents. */
  const withRooms = async (judged: ReadonlyArray<Judged>): Promise<ReadonlyArray<Judged>> => {
    const ids = judged.flatMap(({ id, verdict }) => (verdict.kind === 'different' ? (overflowOf(view, id) ?? []) : []))
    if (ids.length === 0) return judged
    const pairs = await own.pairsAgain(view, [...new Set(ids)])()
    const overflows = new Map(
      pairs.map(({ id, live, rebuilt }) => [id, { id, live: live !== undefined, rebuilt: rebuilt !== undefined }]),
    )
    return judged.map(({ id, verdict }) => {
      const overflow = overflows.get(overflowOf(view, id) ?? '')
      return { id, verdict: overflow === undefined ? verdict : withRoom(id, verdict, overflow) }
    })
  }
  return { now, judge }
}

/**
 * Compares the rebuilt documents of a view with the live ones while both keep changing. Documents that changed are
 * compared again, until all are stable or neither side makes progress.
 */
export const compareView = async (
  deps: Deps,
  own: LeasedRebuild,
  view: ViewName,
  replay: Replay,
): Promise<Findings> => {
  const { say, sleep, signal } = deps
  const { now, judge } = comparing(deps, own, view, replay)
  const { live, rebuilt } = await own.count(view)
  const bar = progress(say, { comparing: view })
  let findings = noFindings
  for await (const read of own.pairs(view)) {
    if (signal.aborted) break
    findings = await judge(findings, read)
    const { same, different, older, crowded, moving, movingBeyond } = findings
    const done = same + different + older + crowded + moving.length + movingBeyond
    bar.at({ done, total: Math.max(live, rebuilt, done) })
  }
  bar.end()
  let before = ''
  for (let round = 0; round < viewRounds && findings.moving.length > 0 && !signal.aborted; round++) {
    await sleep(pauseMs, signal)
    const here = await now()
    const place = `${text(here.live)} ${text(here.rebuilt)}`
    const { moving } = findings
    findings = { ...findings, moving: [] }
    for (let from = 0; from < moving.length; from += idsAtOnce)
      findings = await judge(findings, own.pairsAgain(view, moving.slice(from, from + idsAtOnce)))
    if (place === before) break
    before = place
  }
  return findings
}

const dayRounds = 10

const verdictOf = ({ live, rebuilt }: Day): Verdict => {
  if (live === undefined) return rebuilt === undefined ? { kind: 'same' } : { kind: 'different', what: 'only rebuilt' }
  if (rebuilt === undefined) return { kind: 'different', what: 'only live' }
  const fields = differingFields(live, rebuilt)
  return fields.length === 0 ? { kind: 'same' } : { kind: 'different', what: fields }
}

/** Reads a day that differs again, because documents may have changed between the reads. */
const stableVerdict = async (
  { sleep, signal }: Pick<RebuildDeps, 'sleep' | 'signal'>,
  read: () => Promise<Day>,
): Promise<Verdict> => {
  let before = await read()
  for (let round = 0; round < dayRounds && verdictOf(before).kind === 'different' && !signal.aborted; round++) {
    await sleep(pauseMs, signal)
    const day = await read()
    if (!day.due && !before.due && differingFields({ ...before }, { ...day }).length === 0) return verdictOf(day)
    before = day
  }
  return verdictOf(before).kind === 'same' ? { kind: 'same' } : { kind: 'moving' }
}

/** Compares each day of daily_stats with one computed from the rebuilt documents, or live ones of other views. */
export const compareDays = async (
  { say, sleep, signal }: Pick<RebuildDeps, 'say' | 'sleep' | 'signal'>,
  own: LeasedRebuild,
  view: ViewName,
  folded: ReadonlyArray<ViewName>,
): Promise<Findings> => {
  const days = await own.days(folded)
  const bar = progress(say, { comparing: view })
  let findings = noFindings
  for (const [i, id] of days.entries()) {
    if (signal.aborted) break
    findings = found(findings, id, await stableVerdict({ sleep, signal }, () => own.day(id, folded)))
    bar.at({ done: i + 1, total: days.length })
  }
  bar.end()
  return findings
}
