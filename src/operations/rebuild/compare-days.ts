import type { ViewName } from '../../../contracts/views.ts'
import type { OwnRebuild } from '../../mongo/rebuild/own-rebuild.ts'
import type { Day } from '../../mongo/rebuild/stats.ts'
import type { Verdict } from '../../projections/rebuild/compare.ts'
import { differingFields } from '../../projections/rebuild/fields.ts'
import { type Findings, found, noFindings } from '../../projections/rebuild/findings.ts'
import type { RebuildDeps } from './deps.ts'

const rounds = 10
const pauseMs = 500

const verdictOf = ({ live, rebuilt }: Day): Verdict => {
  if (live === undefined) return rebuilt === undefined ? { kind: 'same' } : { kind: 'different', what: 'only rebuilt' }
  if (rebuilt === undefined) return { kind: 'different', what: 'only live' }
  const fields = differingFields(live, rebuilt)
  return fields.length === 0 ? { kind: 'same' } : { kind: 'different', what: fields }
}

/** What of it a later look may tell otherwise: documents may have changed between the readings. */
const settled = async (
  { sleep, signal }: Pick<RebuildDeps, 'sleep' | 'signal'>,
  read: () => Promise<Day>,
): Promise<Verdict> => {
  let before = await read()
  for (let round = 0; round < rounds && verdictOf(before).kind === 'different' && !signal.aborted; round++) {
    await sleep(pauseMs, signal)
    const day = await read()
    if (!day.due && !before.due && differingFields({ ...before }, { ...day }).length === 0) return verdictOf(day)
    before = day
  }
  return verdictOf(before).kind === 'same' ? { kind: 'same' } : { kind: 'moving' }
}

/** Compares each day of daily_stats with what it would be by the rebuilt documents, or by the live ones of other views. */
export const compareDays = async (
  { show, sleep, signal }: Pick<RebuildDeps, 'show' | 'sleep' | 'signal'>,
  own: OwnRebuild,
  folded: ReadonlyArray<ViewName>,
): Promise<Findings> => {
  const days = await own.days(folded)
  const bar = show('comparing daily_stats', 'days')
  let findings = noFindings
  for (const [i, id] of days.entries()) {
    if (signal.aborted) break
    findings = found(findings, id, await settled({ sleep, signal }, () => own.day(id, folded)))
    bar.at({ done: i + 1, total: days.length })
  }
  bar.end()
  return findings
}
