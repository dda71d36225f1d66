import { returnMs } from '../../../contracts/metrics.ts'
import { dailyStats, dailyStatsBy } from '../../../contracts/views/daily-stats.ts'
import { type Measured, measuredFields } from '../domain/figures.ts'
import type { StatsInput } from './compute-daily-stats.ts'
import { by, whereOfAll } from './indexes.ts'
import { type StatsView, statsViews } from './stats-days.ts'

/** A query of a day's documents of one view: those whose field is a time of the day. */
type OfDay<V extends StatsView = StatsView> = {
  readonly view: V
  readonly field: string
  readonly where?: object
}
/** What is read of them: fields of each, how many there are, or how many have the same values of these fields. */
export type StatsQuery = OfDay & {
  readonly read: { readonly documents: ReadonlyArray<string> } | 'count' | { readonly tally: ReadonlyArray<string> }
}

/** The days of each account, and the same by agent, widget and bot: computed from the documents of other views. */
export const dailyStatistics = {
  outputs: [
    { ...dailyStats, indexes: [by('day'), whereOfAll('nextAt')] },
    { ...dailyStatsBy, indexes: [by('day'), by('by', 'id', 'day')] },
  ],
  from: statsViews,
} as const

const [days, groups] = dailyStatistics.outputs
/** The collections of the statistics: a document for each day, and those by agent, widget and bot. */
export const statisticsNames = { days: days.name, groups: groups.name }

const agents = { kind: 'agent' }
/** What the statistics of a day are computed from, by the names of `StatsInput`. */
export const statsQueries = {
  sessions: { view: 'sessions', field: 'startedAt', read: { documents: measuredFields } },
  accepted: { view: 'sessions', field: 'acceptedAt', where: agents, read: 'count' },
  finished: { view: 'sessions', field: 'endsAt', where: agents, read: { tally: ['rating'] } },
  calls: { view: 'calls', field: 'firstEventAt', read: { tally: ['type', 'state'] } },
  offlineMessages: { view: 'offline_messages', field: 'receivedAt', read: 'count' },
  deliveries: { view: 'deliveries', field: 'finishedAt', read: { tally: ['state'] } },
} as const satisfies { readonly [Name in Exclude<keyof StatsInput, 'begun'>]: StatsQuery }

/** The latest end of a session that may be followed by a return. */
const lastEnd = (sessions: ReadonlyArray<Measured>): number =>
  sessions.reduce(
    (last, { kind, outcome, endsAt }) =>
      kind === 'bot' && outcome === 'contained' && endsAt !== undefined ? Math.max(last, endsAt.getTime()) : last,
    0,
  )

/** The sessions that may be a return after one of these; undefined if there is none. */
export const begunAfter = (accountId: string, from: Date, sessions: ReadonlyArray<Measured>) => {
  const end = lastEnd(sessions)
  return end === 0
    ? undefined
    : {
        view: statsQueries.sessions.view,
        where: {
          accountId,
          kind: 'bot',
          startedAt: { $gte: from, $lte: new Date(end + returnMs) },
          clientMessages: { $gt: 0 },
        },
        fields: ['_id', 'clientId', 'startedAt'],
      }
}
