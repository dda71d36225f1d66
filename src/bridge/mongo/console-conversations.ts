import type { Db, Filter } from 'mongodb'
import type { SessionDocument } from '../../../contracts/views/session.ts'
import { type PageEnd, pageEnd } from '../shared/page.ts'
import { bounded, type Known, known, viewIn } from './source.ts'

export type ConversationFilters = {
  readonly state?: 'open' | 'over'
  /** The client's last message has no answer, whether the session is open or over. */
  readonly unanswered?: true
  readonly outcome?: SessionDocument['outcome']
  readonly kind?: SessionDocument['kind']
  readonly agent?: string
  readonly widget?: string
  /** The session began in this span. */
  readonly span?: { readonly from?: Date; readonly to?: Date }
  readonly failed?: true
  /** The id of a chat or of a client. */
  readonly id?: string
}

/** `longest`, and `waits` unless of open sessions, are of the newest `maxCounted` that match. */
export type ConversationSort = 'newest' | 'oldest' | 'waits' | 'longest'

type Listed = Pick<
  SessionDocument,
  'chatId' | 'kind' | 'number' | 'startedAt' | 'lastEventAt' | 'outcome' | 'endsAt' | 'clientMessages' | 'replies'
> &
  Pick<SessionDocument, 'repliesFailed' | 'channelId' | 'channelType' | 'clientId' | 'awaitingSince' | 'audit'> & {
    readonly _id: string
    readonly agents: ReadonlyArray<{ readonly id: string }>
  }
export type ConversationsPage = { readonly rows: ReadonlyArray<Listed>; readonly next?: PageEnd }

const projection = {
  chatId: 1,
  kind: 1,
  number: 1,
  startedAt: 1,
  lastEventAt: 1,
  outcome: 1,
  endsAt: 1,
  clientMessages: 1,
  replies: 1,
  repliesFailed: 1,
  channelId: 1,
  channelType: 1,
  clientId: 1,
  awaitingSince: 1,
  'agents.id': 1,
  'audit.differences': 1,
}

type Where = Filter<{ readonly _id: string }>

const conditions = (filters: ConversationFilters, now: Date): ReadonlyArray<Where> => {
  const { state, unanswered, outcome, kind, agent, widget, span, failed } = filters
  return [
    ...(span?.from === undefined ? [] : [{ startedAt: { $gte: span.from } }]),
    ...(span?.to === undefined ? [] : [{ startedAt: { $lt: span.to } }]),
    ...(state === 'over' ? [{ endsAt: { $lte: now } }] : []),
    ...(unanswered ? [{ awaitingSince: { $exists: true } }] : []),
    ...(outcome === undefined ? [] : [{ outcome }]),
    ...(kind === undefined ? [] : [{ kind }]),
    ...(agent === undefined ? [] : [{ 'agents.id': agent }]),
    ...(widget === undefined ? [] : [{ channelId: widget }]),
    ...(failed ? [{ repliesFailed: { $exists: true } }] : []),
  ] as ReadonlyArray<Where>
}

/**
 * Filters with two conditions, one of which must hold. The end of an open bot session is in the future; an open agent
 * session has no end.
 */
const alternatives = ({ state, id }: ConversationFilters, now: Date): ReadonlyArray<ReadonlyArray<Where>> =>
  [
    ...(state === 'open' ? [[{ outcome: 'open' }, { endsAt: { $gt: now } }]] : []),
    ...(id === undefined ? [] : [[{ chatId: id }, { clientId: id }]]),
  ] as ReadonlyArray<ReadonlyArray<Where>>

const byTime = {
  newest: { field: 'startedAt', direction: -1, beyond: '$lte' },
  oldest: { field: 'startedAt', direction: 1, beyond: '$gte' },
  waits: { field: 'awaitingSince', direction: 1, beyond: '$gte' },
} as const

/**
 * The query, exported for its test. Each filter except `open` has an index that also gives the order. Few
 * sessions are open at any time, so MongoDB finds those and then sorts them. Each alternative contains all other
 * conditions: only then does MongoDB plan each alternative separately.
 */
export const conversationsQuery = (
  accountId: string,
  {
    filters,
    sort = 'newest',
    after,
    limit,
  }: {
    readonly filters: ConversationFilters
    readonly sort?: keyof typeof byTime
    readonly after?: PageEnd
    readonly limit: number
  },
  now: Date,
) => {
  const { field, direction, beyond } = byTime[sort]
  const page = after === undefined ? [] : [{ [field]: { [beyond]: after.at }, _id: { $nin: [...after.ids] } }]
  const branches = alternatives(filters, now).reduce<ReadonlyArray<ReadonlyArray<Where>>>(
    (before, either) => before.flatMap((all) => either.map((one) => [...all, one])),
    [[{ accountId }, ...conditions(filters, now), ...page]],
  )
  const where: Where = { $or: branches.map((all) => ({ $and: [...all] })) }
  return { where, options: { ...bounded, projection, sort: { [field]: direction }, limit: limit + 1 } }
}

/** The count ends here: nobody reads more, and MongoDB has other work. */
export const maxCounted = 10_000

/** How many sessions match the filters, at most `maxCounted`. */
export const conversationCountIn =
  (db: Db) =>
  (accountId: string, filters: ConversationFilters, now: Date): Known<number> => {
    const { where } = conversationsQuery(accountId, { filters, limit: 1 }, now)
    const sessions = viewIn<{ readonly _id: string }>(db, 'sessions')
    return known(sessions.countDocuments(where, { ...bounded, limit: maxCounted }))
  }

type AskedPage = Omit<Parameters<typeof conversationsQuery>[1], 'sort'> & { readonly sort?: ConversationSort }

/** True if an index has the order. */
export const hasPages = (sort: ConversationSort, { state }: ConversationFilters): sort is keyof typeof byTime =>
  sort !== 'longest' && (sort !== 'waits' || state === 'open')

/** How long each session lasted, or its client waited: until its end, or until now. */
const lengthOf = (sort: ConversationSort, now: Date) => {
  if (sort === 'waits') return { $subtract: [{ $min: ['$endsAt', now] }, '$awaitingSince'] }
  const isOpen = { $gt: [{ $ifNull: ['$endsAt', { $add: [now, 1] }] }, now] }
  return { $subtract: [{ $cond: [isOpen, now, '$lastEventAt'] }, '$startedAt'] }
}

/** No index has the length of sessions or waits, so MongoDB computes it for the newest ones. They have one page. */
const longestOf = (db: Db, accountId: string, { filters, limit, sort = 'longest' }: AskedPage, now: Date) => {
  const { where, options } = conversationsQuery(accountId, { filters, limit }, now)
  const stages = [
    { $match: where },
    { $sort: options.sort },
    { $limit: maxCounted },
    { $project: { ...projection, length: lengthOf(sort, now) } },
    { $sort: { length: -1, startedAt: -1 } },
    { $limit: limit },
    { $unset: 'length' },
  ]
  return viewIn(db, 'sessions').aggregate<Listed>(stages, bounded).toArray()
}

/** Sessions of an account, in the order asked for. */
export const conversationsIn =
  (db: Db) =>
  (accountId: string, asked: AskedPage, now: Date): Known<ConversationsPage> => {
    const { sort = 'newest', limit } = asked
    if (!hasPages(sort, asked.filters)) return known(longestOf(db, accountId, asked, now).then((rows) => ({ rows })))
    const { where, options } = conversationsQuery(accountId, { ...asked, sort }, now)
    const found = viewIn<{ readonly _id: string }>(db, 'sessions').find(where, options).toArray()
    const { field } = byTime[sort]
    const timeOf = (row: Listed) => row[field] ?? row.startedAt
    const page = found.then((documents): ConversationsPage => {
      const rows = (documents as unknown as ReadonlyArray<Listed>).slice(0, limit)
      const next = pageEnd(rows, timeOf, asked.after)
      return { rows, ...(documents.length > limit && next && { next }) }
    })
    return known(page)
  }
