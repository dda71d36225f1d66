import type { OwnRebuild } from '../../mongo/rebuild/own-rebuild.ts'
import type { RebuildDeps } from './deps.ts'

const atOnce = 50

/** Computes every day of daily_stats anew, from the views as they are by now. */
export const recomputeStatistics = async (
  { show, signal }: Pick<RebuildDeps, 'show' | 'signal'>,
  own: OwnRebuild,
): Promise<void> => {
  await own.enter('statistics')
  const days = await own.days([])
  const bar = show('computing', 'days')
  let done = 0
  for (let from = 0; from < days.length && !signal.aborted; from += atOnce)
    await own.recomputeDays(days.slice(from, from + atOnce), (more) => {
      done += more
      bar.at({ done, total: days.length })
    })
  bar.end()
}
