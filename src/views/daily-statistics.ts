import { dailyStats, dailyStatsBy } from '../../contracts/views/daily-stats.ts'
import { by, whereOfAll } from './indexes.ts'
import { statsViews } from './stats-days.ts'

/** The days of each account, and the same by agent, widget and bot: computed from the documents of other views. */
export const dailyStatistics = {
  outputs: [
    { ...dailyStats, indexes: [by('day'), whereOfAll('nextAt')] },
    { ...dailyStatsBy, indexes: [by('day'), by('by', 'id', 'day')] },
  ],
  from: statsViews,
} as const
