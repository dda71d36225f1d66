import type { Instant } from '../../contracts/primitives.ts'
import type { DailyStatsDocument } from '../../contracts/views/daily-stats.ts'
import type { Views } from '../../contracts/views.ts'
import { durations } from './durations.ts'
import { type AccountDay, dayId, type StatsView, type statsViews } from './stats-days.ts'

/** What statistics need of a document of a view. */
export type Counted<V extends StatsView> = Pick<
  Views[V],
  ((typeof statsViews)[V]['days'] | (typeof statsViews)[V]['counted'])[number] & keyof Views[V]
>

/** What daily_stats says of a day. */
export type Statistics = Omit<DailyStatsDocument, 'version'>

/** Documents of one account that may belong to the day. */
export type StatsInput = { readonly [V in StatsView]: ReadonlyArray<Counted<V>> }

export const nothing: StatsInput = { chats: [], calls: [], offline_messages: [], conversations: [], deliveries: [] }

const rates = {
  good: new Set(['good', 'positive', 'like']),
  bad: new Set(['bad', 'negative', 'dislike']),
}

const count = <A>(items: ReadonlyArray<A>, is: (item: A) => boolean): number => items.filter(is).length

const defined = (values: ReadonlyArray<number | undefined>): ReadonlyArray<number> =>
  values.filter((value) => value !== undefined)

/**
 * The statistics of a day from the documents that belong to it; others are left out. Pure: the same documents, the
 * same day.
 */
export const dailyStats = ({ accountId, day }: AccountDay, input: StatsInput): Statistics => {
  const on = (instant: Instant | undefined) => instant?.startsWith(day) === true
  const finished = input.chats.filter(({ finishedAt }) => on(finishedAt))
  const rated = (words: ReadonlySet<string>) => count(finished, ({ rate }) => words.has(rate?.toLowerCase() ?? ''))
  const calls = input.calls.filter(({ firstEventAt }) => on(firstEventAt))
  const started = input.conversations.filter(({ startedAt, clientMessages }) => on(startedAt) && clientMessages > 0)
  const byBot = count(started, ({ outcome }) => outcome === 'bot')
  const replies = input.deliveries.filter(({ finishedAt }) => on(finishedAt))
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
      total: calls.length,
      byType: {
        callback: count(calls, ({ type }) => type === 'callback'),
        incoming: count(calls, ({ type }) => type === 'incoming'),
        outgoing: count(calls, ({ type }) => type === 'outgoing'),
      },
      byOutcome: {
        ended: count(calls, ({ state }) => state === 'end'),
        failed: count(calls, ({ state }) => state === 'error'),
        open: count(calls, ({ state }) => state !== 'end' && state !== 'error'),
      },
    },
    offlineMessages: count(input.offline_messages, ({ receivedAt }) => on(receivedAt)),
    conversations: {
      started: started.length,
      answeredByBotAlone: byBot,
      handedToAgent: count(started, ({ outcome }) => outcome === 'agent'),
      shareAnsweredByBotAlone: started.length === 0 ? 0 : byBot / started.length,
      replyMs: durations(started.flatMap(({ replyTimesMs }) => replyTimesMs)),
    },
    replies: {
      delivered: count(replies, ({ state }) => state === 'delivered'),
      failed: count(replies, ({ state }) => state === 'failed'),
      suppressed: count(replies, ({ state }) => state === 'suppressed'),
    },
  }
}
