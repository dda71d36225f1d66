import type { Db } from 'mongodb'
import type { DailyStatsByDocument, DailyStatsDocument } from '../../../contracts/views/daily-stats.ts'
import type { Span } from '../domain/day.ts'
import { type Measured, measuredFields } from '../domain/figures.ts'
import { bounded, type Known, known, viewIn } from './source.ts'

export type StatisticsAsked = {
  /** Days, the last one included. */
  readonly from: string
  readonly to: string
  readonly by: 'day' | DailyStatsByDocument['by']
  readonly id?: string
  readonly limit: number
}
type Day = DailyStatsDocument | DailyStatsByDocument

/** Without this a batch has 16 MiB, and reading it blocks everything else. */
const batchSize = 200

/** The statistics of some days, in the order of the days. */
export const statisticsIn =
  (db: Db) =>
  (accountId: string, { from, to, by, id, limit }: StatisticsAsked): Known<ReadonlyArray<Day>> => {
    const where = { accountId, day: { $gte: from, $lte: to } }
    const whose = by === 'day' ? where : { ...where, by, ...(id !== undefined && { id }) }
    const view = by === 'day' ? 'daily_stats' : 'daily_stats_by'
    return known(
      viewIn(db, view)
        .find<Day>(whose, { ...bounded, batchSize, limit, sort: { day: 1 } })
        .toArray(),
    )
  }

/** What the figures need of the sessions that began in a span of time: of those with agents, or those over by its end. */
export const sessionsIn =
  (db: Db) =>
  (accountId: string, { from, to }: Span, which: 'of agents' | 'over'): Known<ReadonlyArray<Measured>> => {
    const projection = Object.fromEntries(measuredFields.map((name) => [name, 1]))
    const only = which === 'over' ? { endsAt: { $lte: to } } : { kind: 'agent' }
    const where = { accountId, startedAt: { $gte: from, $lt: to }, ...only }
    return known(
      viewIn(db, 'sessions')
        .find<Measured>(where, { ...bounded, batchSize, projection })
        .toArray(),
    )
  }

const maxNames = 100

const newestNames = async (db: Db, accountId: string, ids: ReadonlyArray<string>) => {
  const sessions = viewIn<{ readonly agents: ReadonlyArray<{ readonly id: string; readonly name?: string }> }>(
    db,
    'sessions',
  )
  const named = await Promise.all(
    ids.slice(0, maxNames).map(async (id) => {
      const newest = { ...bounded, projection: { agents: 1 }, sort: { startedAt: -1 } } as const
      const session = await sessions.findOne({ accountId, 'agents.id': id }, newest)
      return [id, session?.agents.find((agent) => agent.id === id)?.name] as const
    }),
  )
  return new Map(named.flatMap(([id, name]) => (name === undefined ? [] : [[id, name] as const])))
}

/** The names of agents in their newest sessions, by id. One read of an index for each of at most 100 agents. */
export const agentNamesIn =
  (db: Db) =>
  (accountId: string, ids: ReadonlyArray<string>): Known<ReadonlyMap<string, string>> =>
    known(newestNames(db, accountId, ids))
