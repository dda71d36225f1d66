import type { ViewName } from '../../../contracts/views.ts'
import type { ReadPairs } from '../../mongo/rebuild/compare.ts'
import type { OwnRebuild } from '../../mongo/rebuild/own-rebuild.ts'
import { compare } from '../../projections/rebuild/compare.ts'
import { type Findings, found, noFindings } from '../../projections/rebuild/findings.ts'
import { type Positions, placesOf } from '../../projections/rebuild/places.ts'
import { topicsOf } from '../../projections/rebuild/sources.ts'
import type { RebuildDeps } from './deps.ts'
import { readCommitted, readLogs } from './logs.ts'
import type { Replay } from './replay.ts'

const rounds = 20
// Above the time between two commits of the projector.
const pauseMs = 500
const idsAtOnce = 300

type Deps = Pick<RebuildDeps, 'kafka' | 'show' | 'sleep' | 'signal'>

const text = (positions: Positions) => JSON.stringify([...positions].sort())

const comparing = ({ kafka }: Deps, view: ViewName, replay: Replay) => {
  const topics = topicsOf([view])
  /** What both sides have taken in; of the live one, 0 where nothing is committed yet. */
  const now = async () => {
    const [logs, committed] = await Promise.all([readLogs(kafka, topics), readCommitted(kafka, 'projector', topics)])
    const at = (positions: Positions) => new Map([...logs.keys()].map((key) => [key, positions.get(key) ?? 0]))
    return { live: at(committed), rebuilt: at(replay.positions()) }
  }
  const judge = async (findings: Findings, read: ReadPairs): Promise<Findings> => {
    const known = await now()
    const pairs = await read()
    const logs = placesOf(await readLogs(kafka, topics), new Map())
    return pairs.reduce(
      (all, { id, live, rebuilt }) => found(all, id, compare(live, rebuilt, { ...known, logs })),
      findings,
    )
  }
  return { now, judge }
}

/**
 * Compares the rebuilt documents of a view with the live ones while both go on. What has not stood still is looked at again,
 * until all of it has, or neither side gets any further.
 */
export const compareView = async (deps: Deps, own: OwnRebuild, view: ViewName, replay: Replay): Promise<Findings> => {
  const { show, sleep, signal } = deps
  const { now, judge } = comparing(deps, view, replay)
  const { live, rebuilt } = await own.count(view)
  const bar = show(`comparing ${view}`, 'documents')
  let findings = noFindings
  for await (const read of own.pairs(view)) {
    if (signal.aborted) break
    findings = await judge(findings, read)
    const done = findings.same + findings.different + findings.moving.length + findings.movingBeyond
    bar.at({ done, total: Math.max(live, rebuilt, done) })
  }
  bar.end()
  let before = ''
  for (let round = 0; round < rounds && findings.moving.length > 0 && !signal.aborted; round++) {
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
