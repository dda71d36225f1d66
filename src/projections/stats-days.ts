import type { AccountId, Day } from '../../contracts/primitives.ts'
import type { ViewName, Views } from '../../contracts/views.ts'

/** A day of an account, as daily_stats has it. */
export type AccountDay = { readonly accountId: AccountId; readonly day: Day }

/** The views that statistics are computed from: by which instants a document belongs to a day, and what else counts. */
export const statsViews = {
  chats: { days: ['acceptedAt', 'finishedAt'], counted: ['rate', 'firstResponseMs', 'totalMs'] },
  calls: { days: ['firstEventAt'], counted: ['type', 'state'] },
  offline_messages: { days: ['receivedAt'], counted: [] },
  conversations: { days: ['startedAt'], counted: ['clientMessages', 'outcome', 'replyTimesMs'] },
  deliveries: { days: ['finishedAt'], counted: ['state'] },
} as const satisfies {
  [V in ViewName]?: { days: ReadonlyArray<keyof Views[V]>; counted: ReadonlyArray<keyof Views[V]> }
}
export type StatsView = keyof typeof statsViews

/** Those whose documents belong to one day at most and say one of a few things there: how many say the same is enough. */
export type TalliedView = 'calls' | 'offline_messages' | 'deliveries'

const isStatsView = (view: ViewName): view is StatsView => Object.hasOwn(statsViews, view)

/** `acme/2026-01-31`: the `_id` of daily_stats. */
export const dayId = ({ accountId, day }: AccountDay): string => `${accountId}/${day}`

/** An account's day from its id. An account's id has no slash. */
export const accountDay = (id: string): AccountDay => {
  const [accountId = '', day = ''] = id.split('/')
  return { accountId: accountId as AccountId, day: day as Day }
}

/**
 * The days of an account's statistics that a document's change touches: those where it was counted and where it is
 * now.
 */
export const daysOf = (
  view: ViewName,
  ...documents: ReadonlyArray<Views[ViewName] | undefined>
): ReadonlyArray<AccountDay> => {
  if (!isStatsView(view)) return []
  const fields: ReadonlyArray<string> = statsViews[view].days
  return documents.flatMap((document) =>
    document === undefined
      ? []
      : fields.flatMap((name) => {
          const value: unknown = document[name as keyof typeof document]
          return value === undefined ? [] : [{ accountId: document.accountId, day: String(value).slice(0, 10) as Day }]
        }),
  )
}
