import { returnMs } from '../../../contracts/metrics.ts'
import type { AccountId, Day } from '../../../contracts/primitives.ts'
import type { SessionDocument } from '../../../contracts/views/session.ts'
import type { CheckHealth } from '../domain/checks.ts'
import { dayOf } from '../domain/day.ts'
import type { ViewDocument } from './document.ts'

/** A day of an account, as daily_stats has it. */
export type AccountDay = { readonly accountId: AccountId; readonly day: Day }

/** The time zone of an account's days. */
export type TimeZoneOf = (accountId: string) => string

/** The views that statistics are computed from, and the times that decide to which days a document belongs. */
export const statsViews = {
  sessions: ['startedAt', 'acceptedAt', 'endsAt'],
  calls: ['firstEventAt'],
  offline_messages: ['receivedAt'],
  deliveries: ['finishedAt'],
} as const satisfies Readonly<Record<string, ReadonlyArray<string>>>
export type StatsView = keyof typeof statsViews

const isStatsView = (view: string): view is StatsView => Object.hasOwn(statsViews, view)

/** The fields that decide to which days a document belongs, beside the times of its view. */
type StatsDocument = ViewDocument &
  Partial<Pick<SessionDocument, 'accountId' | 'latestOf' | 'previousStartedAt' | 'kind' | 'startedAt'>>

/** `acme/2026-01-31`: the `_id` of daily_stats. */
export const dayId = ({ accountId, day }: AccountDay): string => `${accountId}/${day}`

/** An account's day from its id. An account's id has no slash. */
export const accountDay = (id: string): AccountDay => {
  const [accountId = '', day = ''] = id.split('/')
  return { accountId: accountId as AccountId, day: day as Day }
}

const timesOf = (view: StatsView, document: object): ReadonlyArray<Date> => {
  // The end of a bot session is not counted for any day. While the session is open, its end is in the future.
  const names: ReadonlyArray<string> = 'kind' in document && document.kind === 'bot' ? ['startedAt'] : statsViews[view]
  const values = names.map((name): unknown => document[name as keyof typeof document])
  return values.filter((value) => value instanceof Date)
}

/** Times up to three days before, in steps of half a day. So no day is left out, even one of 23 hours. */
const daysBefore = (time: Date): ReadonlyArray<Date> =>
  [1, 2, 3, 4, 5, 6].map((n) => new Date(time.getTime() - (n * returnMs) / 2))

/**
 * The days whose statistics a document's change affects. A session also affects the previous session of its chat. A bot
 * session may be a return, so it also affects earlier sessions of the same client in any chat. A silent bot session
 * ends a day after its last event, and a return counts for one day more. Sessions that began even earlier are computed
 * when they have settled.
 */
export const daysOf = (view: string, document: ViewDocument, timeZoneOf: TimeZoneOf): ReadonlyArray<AccountDay> => {
  if (!isStatsView(view)) return []
  const { accountId, latestOf, previousStartedAt, kind, startedAt }: StatsDocument = document
  const isSession = previousStartedAt !== undefined || latestOf !== undefined
  const others = isSession
    ? [previousStartedAt, ...(kind === 'bot' && startedAt !== undefined ? daysBefore(startedAt) : [])]
    : []
  return [...timesOf(view, document), ...others].flatMap((time) =>
    time === undefined || accountId === undefined ? [] : [{ accountId, day: dayOf(time, timeZoneOf(accountId)) }],
  )
}

/** Only a rebuild by a process with other settings changes time zones that are right. */
const askAgainMs = 60_000
const namedAccounts = 5

/**
 * Names accounts with days in a former time zone, which need a rebuild. They do not make the process unready. While
 * MongoDB does not answer, no account is named.
 */
export const timeZonesHealth = (
  accountsOfOther: () => Promise<ReadonlyArray<string>>,
  clock: () => number,
): CheckHealth => {
  let rightUntil = Number.NEGATIVE_INFINITY
  return async () => {
    const asked = clock() >= rightUntil
    const changed = asked ? await accountsOfOther().catch(() => undefined) : []
    if (asked && changed?.length === 0) rightUntil = clock() + askAgainMs
    if (changed === undefined || changed.length === 0)
      return { ok: true, reason: 'its days have the time zones of the accounts' }
    const more = changed.length - namedAccounts
    const names = [...changed.slice(0, namedAccounts), ...(more > 0 ? [`${more} more accounts`] : [])]
    return { ok: true, isLimited: true, reason: `some days of ${names.join(', ')} are of another time zone` }
  }
}
