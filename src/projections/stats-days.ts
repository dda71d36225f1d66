import { returnMs } from '../../contracts/metrics.ts'
import type { AccountId, Day } from '../../contracts/primitives.ts'
import type { ViewName, Views } from '../../contracts/views.ts'
import { dayOf } from '../domain/day.ts'

/** A day of an account, as daily_stats has it. */
export type AccountDay = { readonly accountId: AccountId; readonly day: Day }

/** The time zone in which an account's days are. */
export type TimeZoneOf = (accountId: string) => string

/** The views that statistics are computed from, and the times by which a document belongs to days. */
export const statsViews = {
  sessions: ['startedAt', 'acceptedAt', 'endsAt'],
  calls: ['firstEventAt'],
  offline_messages: ['receivedAt'],
  deliveries: ['finishedAt'],
} as const satisfies { [V in ViewName]?: ReadonlyArray<keyof Views[V]> }
export type StatsView = keyof typeof statsViews

const isStatsView = (view: ViewName): view is StatsView => Object.hasOwn(statsViews, view)

/** `acme/2026-01-31`: the `_id` of daily_stats. */
export const dayId = ({ accountId, day }: AccountDay): string => `${accountId}/${day}`

/** An account's day from its id. An account's id has no slash. */
export const accountDay = (id: string): AccountDay => {
  const [accountId = '', day = ''] = id.split('/')
  return { accountId: accountId as AccountId, day: day as Day }
}

const timesOf = (view: StatsView, document: Views[ViewName]): ReadonlyArray<Date> => {
  // When a bot session ends is counted nowhere, and while it is open lies ahead.
  const names: ReadonlyArray<string> = 'kind' in document && document.kind === 'bot' ? ['startedAt'] : statsViews[view]
  const values = names.map((name): unknown => document[name as keyof typeof document])
  return values.filter((value) => value instanceof Date)
}

/** Up to three days before, by half days: none is left out where a day has 23 hours. */
const daysBefore = (time: Date): ReadonlyArray<Date> =>
  [1, 2, 3, 4, 5, 6].map((n) => new Date(time.getTime() - (n * returnMs) / 2))

/**
 * The days of an account's statistics that a document's change touches. A session touches those of others as well: of the one
 * before it in its chat; and of what the same client had before, in whichever chat, if it is a return: a bot session that fell silent
 * ended a day after its last event, and a return counts for a day more. What began earlier still is computed once it has settled.
 */
export const daysOf = (
  view: ViewName,
  document: Views[ViewName],
  timeZoneOf: TimeZoneOf,
): ReadonlyArray<AccountDay> => {
  if (!isStatsView(view)) return []
  const others =
    'previousStartedAt' in document || 'latestOf' in document
      ? [document.previousStartedAt, ...(document.kind === 'bot' ? daysBefore(document.startedAt) : [])]
      : []
  const { accountId } = document
  return [...timesOf(view, document), ...others].flatMap((time) =>
    time === undefined || accountId === undefined ? [] : [{ accountId, day: dayOf(time, timeZoneOf(accountId)) }],
  )
}
