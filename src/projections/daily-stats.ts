import type { Instant } from '../../contracts/primitives.ts'
import type { DailyStatsDocument } from '../../contracts/views/daily-stats.ts'
import type { Views } from '../../contracts/views.ts'
import { durations } from './durations.ts'
import { type AccountDay, dayId, type StatsView, type statsViews, type TalliedView } from './stats-days.ts'

type Fields<V extends StatsView, Name extends 'days' | 'counted'> = Pick<
  Views[V],
  (typeof statsViews)[V][Name][number] & keyof Views[V]
>
/** What statistics need of a document of a view. */
export type Counted<V extends StatsView> = Fields<V, 'days'> & Fields<V, 'counted'>
/** How many documents that belong to the day say the same. */
export type Tally<V extends TalliedView> = Fields<V, 'counted'> & { readonly documents: number }

/** What daily_stats says of a day. */
export type Statistics = Omit<DailyStatsDocument, 'version'>

/** What one account's documents say: those that may belong to the day, or how many of those that do say the same. */
export type StatsInput = {
  readonly [V in StatsView]: ReadonlyArray<V extends TalliedView ? Tally<V> : Counted<V>>
}

export const nothing: StatsInput = { chats: [], calls: [], offline_messages: [], conversations: [], deliveries: [] }

const rates = {
  good: new Set(['good', 'positive', 'like']),
  bad: new Set(['bad', 'negative', 'dislike']),
}

const count = <A>(items: ReadonlyArray<A>, is: (item: A) => boolean): number => items.filter(is).length

const sum = <A extends { readonly documents: number }>(
  tallies: ReadonlyArray<A>,
  is: (tally: A) => boolean = () => true,
): number => tallies.filter(is).reduce((total, { documents }) => total + documents, 0)

const defined = (values: ReadonlyArray<number | undefined>): ReadonlyArray<number> =>
  values.filter((value) => value !== undefined)

/**
 * The statistics of a day from what its documents say; documents that belong to others are left out. Pure: the same
 * documents, the same day.
 */
export const dailyStats = ({ accountId, day }: AccountDay, input: StatsInput): Statistics => {
  const on = (instant: Instant | undefined) => instant?.startsWith(day) === true
  const finished = input.chats.filter(({ finishedAt }) => on(finishedAt))
  const rated = (words: ReadonlySet<string>) => count(finished, ({ rate }) => words.has(rate?.toLowerCase() ?? ''))
  const { calls, deliveries } = input
  const started = input.conversations.filter(({ startedAt, clientMessages }) => on(startedAt) && clientMessages > 0)
  const byBot = count(started, ({ outcome }) => outcome === 'bot')
  return {
    _id: dayId({ accountId, day }),
    accountId,
    day,
    chats: {
      accepted: count(input.chats, ({ acceptedAt }) => on(acceptedAt)),
      finished: finished.length,
      ratedGood: rated(rates.good),
      ratedBad: rated(rates.bad),
      firstResponseMs: durations(defined(finished.map(({ firstResponseMs }) => firstResponseMs))),
      totalMs: durations(defined(finished.map(({ totalMs }) => totalMs))),
    },
    calls: {
      total: sum(calls),
      byType: {
        callback: sum(calls, ({ type }) => type === 'callback'),
        incoming: sum(calls, ({ type }) => type === 'incoming'),
        outgoing: sum(calls, ({ type }) => type === 'outgoing'),
      },
      byOutcome: {
        ended: sum(calls, ({ state }) => state === 'end'),
        failed: sum(calls, ({ state }) => state === 'error'),
        open: sum(calls, ({ state }) => state !== 'end' && state !== 'error'),
      },
    },
    offlineMessages: sum(input.offline_messages),
    conversations: {
      started: started.length,
      answeredByBotAlone: byBot,
      handedToAgent: count(started, ({ outcome }) => outcome === 'agent'),
      shareAnsweredByBotAlone: started.length === 0 ? 0 : byBot / started.length,
      replyMs: durations(started.flatMap(({ replyTimesMs }) => replyTimesMs)),
    },
    replies: {
      delivered: sum(deliveries, ({ state }) => state === 'delivered'),
      failed: sum(deliveries, ({ state }) => state === 'failed'),
      suppressed: sum(deliveries, ({ state }) => state === 'suppressed'),
    },
  }
}
