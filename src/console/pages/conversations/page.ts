import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { Count, exactShape, Id, replacing, replacingOptional } from '../../../../contracts/primitives.ts'
import { SessionDocument, SessionOutcome } from '../../../../contracts/views/session.ts'
import type { Refusal } from '../../../bridge/http/answer.ts'
import { counting, countOf, type Find, only, type Pipeline } from '../../../bridge/mongo/source.ts'
import { type PageEnd as End, pageEnd } from '../../../bridge/shared/page.ts'
import type { Backend } from '../../backend.ts'
import { sessionState } from '../../browser/words.ts'
import { csvFile, csvOfPages } from '../../csv.ts'
import { type ConsoleRequest, everyone, ok, page } from '../../page.ts'
import { Cursor, Limit, LocalTime, listed, On, PageEnd, pageOf, readQuery, readSpan } from '../../query.ts'
import { live } from './live.ts'
import { record } from './record.ts'
import { story } from './story.ts'

const ConversationsQuery = t.partial(
  {
    state: t.keyof({ open: null, over: null }, 'open or over'),
    unanswered: On,
    outcome: t.keyof(SessionOutcome.keys, `one of ${Object.keys(SessionOutcome.keys).join(', ')}`),
    kind: t.keyof({ agent: null, bot: null }, 'agent or bot'),
    agent: Id,
    widget: Id,
    from: LocalTime,
    to: LocalTime,
    failed: On,
    id: Id,
    sort: t.keyof({ oldest: null, waits: null, longest: null }, 'oldest, waits or longest'),
    cursor: Cursor(PageEnd, 'next'),
    limit: Limit(200),
  },
  'ConversationsQuery',
)

/** One session of a chat: with a bot, or with agents. */
export const ConversationRow = exactShape(
  {
    chatId: t.string,
    kind: t.keyof({ agent: null, bot: null }),
    number: Count,
    startedAt: t.string,
    lastEventAt: t.string,
    outcome: t.string,
    isOpen: t.boolean,
    clientMessages: Count,
    replies: Count,
    repliesFailed: Count,
    channelId: t.string,
    /** Ids of agents. Names are personal data, so only the conversation has them. */
    agents: t.array(t.string),
    /** How many differences the audit of the transcript found. */
    differences: Count,
  },
  {
    /** Since when the client's last message has no answer. Of a session that is over, it never got one. */
    waitingSince: t.string,
    /** Of a session that is over: how long its client had waited then. */
    waitedMs: Count,
    clientId: t.string,
    channelType: t.string,
  },
  'ConversationRow',
)
export type ConversationRow = t.TypeOf<typeof ConversationRow>

/**
 * Newest first, or by `sort`: `oldest` first; `waits`, of sessions without an answer, the longest wait first; `longest`
 * first. `longest`, and `waits` unless `state` is open, are one page of the newest 10,000 that match. Query: `state`
 * open or over; `unanswered` true: the client's last message has no answer, also of ended sessions; `outcome`; `kind` agent or bot; `agent` and `widget`, ids; `from` and `to`, such as 2026-01-31 or
 * 2026-01-31T17:05, in the account's time zone; `failed` true; `id` of a chat or client; `cursor`, the `next` of the
 * previous page; `limit`, default 50, at most 200.
 */
export const ConversationsAnswer = exactShape(
  { rows: t.array(ConversationRow) },
  {
    next: t.string,
    /** How many there are, on the first page. `countIsMin`: there may be more. */
    count: Count,
    countIsMin: t.boolean,
  },
  'ConversationsAnswer',
)
export type ConversationsAnswer = t.TypeOf<typeof ConversationsAnswer>

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

const plain = only(SessionDocument, [
  '_id',
  'chatId',
  'kind',
  'number',
  'startedAt',
  'lastEventAt',
  'outcome',
  'endsAt',
  'clientMessages',
  'replies',
  'repliesFailed',
  'channelId',
  'channelType',
  'clientId',
  'awaitingSince',
  'agents',
  'audit',
])
/** A session in the list: of its agents and differences only what the list shows. */
const Listed = replacingOptional(
  replacing(plain.row, { agents: t.array(t.strict({ id: Id })) }, 'Listed'),
  { audit: t.strict({ differences: t.array(t.unknown) }) },
  'Listed',
)
type Listed = t.TypeOf<typeof Listed>
const fields = [
  ...plain.fields.filter((name) => name !== 'agents' && name !== 'audit'),
  'agents.id',
  'audit.differences',
]

type Where = Readonly<Record<string, unknown>>

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
  ]
}

/**
 * Filters with two conditions, one of which must hold. The end of an open bot session is in the future; an open agent
 * session has no end.
 */
const alternatives = ({ state, id }: ConversationFilters, now: Date): ReadonlyArray<ReadonlyArray<Where>> => [
  ...(state === 'open' ? [[{ outcome: 'open' }, { endsAt: { $gt: now } }]] : []),
  ...(id === undefined ? [] : [[{ chatId: id }, { clientId: id }]]),
]

const byTime = {
  newest: { field: 'startedAt', direction: -1, beyond: '$lte' },
  oldest: { field: 'startedAt', direction: 1, beyond: '$gte' },
  waits: { field: 'awaitingSince', direction: 1, beyond: '$gte' },
} as const

type AskedPage = {
  readonly filters: ConversationFilters
  readonly sort?: ConversationSort
  readonly after?: End
  readonly limit: number
}

const branchesOf = (accountId: string, filters: ConversationFilters, now: Date, more: ReadonlyArray<Where>): Where => {
  const branches = alternatives(filters, now).reduce<ReadonlyArray<ReadonlyArray<Where>>>(
    (before, either) => before.flatMap((all) => either.map((one) => [...all, one])),
    [[{ accountId }, ...conditions(filters, now), ...more]],
  )
  return { $or: branches.map((all) => ({ $and: [...all] })) }
}

/**
 * Sessions in an order that an index has. Each filter except `open` has an index that also gives the order. Few
 * sessions are open at any time, so MongoDB finds those and then sorts them. Each alternative contains all other
 * conditions: only then does MongoDB plan each alternative separately.
 */
export const sessionsInOrder = (
  accountId: string,
  { filters, sort = 'newest', after, limit }: AskedPage & { readonly sort?: keyof typeof byTime },
  now: Date,
): Find<Listed> => {
  const { field, direction, beyond } = byTime[sort]
  const later = after === undefined ? [] : [{ [field]: { [beyond]: after.at }, _id: { $nin: [...after.ids] } }]
  return {
    view: 'sessions',
    row: Listed,
    fields,
    where: branchesOf(accountId, filters, now, later),
    sort: { [field]: direction },
    limit,
  }
}

/** Nobody reads more, and MongoDB has other work. */
const maxCounted = 10_000

/** True if an index has the order. */
const hasPages = (sort: ConversationSort, { state }: ConversationFilters): sort is keyof typeof byTime =>
  sort !== 'longest' && (sort !== 'waits' || state === 'open')

/** How long each session lasted, or its client waited: until its end, or until now. */
const lengthOf = (sort: ConversationSort, now: Date) => {
  if (sort === 'waits') return { $subtract: [{ $min: ['$endsAt', now] }, '$awaitingSince'] }
  const isOpen = { $gt: [{ $ifNull: ['$endsAt', { $add: [now, 1] }] }, now] }
  return { $subtract: [{ $cond: [isOpen, now, '$lastEventAt'] }, '$startedAt'] }
}

/** No index has the length of sessions or waits, so MongoDB computes it for the newest ones. They have one page. */
const longestSessions = (
  accountId: string,
  { filters, limit, sort = 'longest' }: AskedPage,
  now: Date,
): Pipeline<Listed> => ({
  view: 'sessions',
  row: Listed,
  stages: [
    { $match: branchesOf(accountId, filters, now, []) },
    { $sort: { startedAt: -1 } },
    { $limit: maxCounted },
    { $project: { ...Object.fromEntries(fields.map((name) => [name, 1])), length: lengthOf(sort, now) } },
    { $sort: { length: -1, startedAt: -1 } },
    { $limit: limit },
    { $unset: 'length' },
  ],
})

const usualLimit = 50

const rowOf = (session: Listed, now: Date): ConversationRow => {
  const { chatId, kind, number, startedAt, lastEventAt, outcome, endsAt, clientMessages, replies, channelId } = session
  const { repliesFailed = 0, agents, audit, awaitingSince, clientId, channelType } = session
  const isOpen = endsAt === undefined || endsAt > now
  return {
    chatId,
    kind,
    number,
    outcome,
    isOpen,
    clientMessages,
    replies,
    repliesFailed,
    channelId,
    startedAt: startedAt.toISOString(),
    lastEventAt: lastEventAt.toISOString(),
    agents: agents.map(({ id }) => id),
    differences: audit?.differences.length ?? 0,
    ...(awaitingSince && { waitingSince: awaitingSince.toISOString() }),
    ...(awaitingSince && !isOpen && { waitedMs: Math.max(0, endsAt.getTime() - awaitingSince.getTime()) }),
    ...(clientId !== undefined && { clientId }),
    ...(channelType !== undefined && { channelType }),
  }
}

const columns = [
  'chatId',
  'kind',
  'number',
  'startedAt',
  'lastEventAt',
  'durationMs',
  'outcome',
  'state',
  'isOpen',
  'waitingSince',
  'waitingMs',
  'clientMessages',
  'replies',
  'repliesFailed',
  'agents',
  'channelId',
  'channelType',
  'clientId',
  'differences',
] as const

/** The cells of a row. The state is in the words of the page. A wait or a duration is until the end, or until now. */
const cells = (row: ConversationRow, now: Date) => {
  const { isOpen, waitingSince, waitedMs, startedAt, lastEventAt } = row
  const shown = {
    ...row,
    agents: row.agents.join(' '),
    state: sessionState({ ...row, waits: waitingSince !== undefined }).words,
    durationMs: (isOpen ? now.getTime() : Date.parse(lastEventAt)) - Date.parse(startedAt),
    waitingMs: isOpen && waitingSince !== undefined ? now.getTime() - Date.parse(waitingSince) : waitedMs,
  }
  return columns.map((name) => shown[name])
}

type Asked = t.TypeOf<typeof ConversationsQuery>

/** The filters of a query, with the times of its days in the account's time zone. */
const filtersOf = (
  { cursor, limit, from, to, sort, ...others }: Asked,
  timeZone: string,
): E.Either<Refusal, ConversationFilters> => {
  const span = readSpan({ from, to }, timeZone)
  if (E.isLeft(span)) return span
  return E.right({
    ...others,
    ...(Object.keys(span.right).length > 0 && { span: span.right }),
    ...(sort === 'waits' && ({ unanswered: true } as const)),
  })
}

/** Conversations as a list in pages, and as a spreadsheet. Neither has personal data. */
export const conversations = page({
  name: 'conversations',
  title: 'Conversations',
  key: 'c',
  roles: everyone,
  routes: {
    'GET /api/accounts/:account/conversations': { answer: ConversationsAnswer },
    'GET /api/accounts/:account/conversations.csv': { answer: 'text/csv' },
    ...story.routes,
    ...live.routes,
    ...record.routes,
  },
  handlers: (
    backend: Pick<Backend, 'now' | 'timeZoneOf'> &
      Parameters<typeof story.handlers>[0] &
      Parameters<typeof live.handlers>[0] &
      Parameters<typeof record.handlers>[0],
  ) => {
    const { now, timeZoneOf, read } = backend
    const asked = ({ accountId, query }: ConsoleRequest) => {
      const given = readQuery(ConversationsQuery, query)
      if (E.isLeft(given)) return given
      const { cursor, limit = usualLimit } = given.right
      const sort: ConversationSort = given.right.sort ?? 'newest'
      const filters = filtersOf(given.right, timeZoneOf(accountId))
      return E.isLeft(filters) ? filters : E.right({ filters: filters.right, sort, cursor, limit })
    }
    /** A page in the order that was asked for. `longest` has one page, with at most `most` sessions. */
    const pageAfter = async (
      accountId: string,
      { filters, sort }: Omit<AskedPage, 'limit'> & { readonly sort: ConversationSort },
      asOf: Date,
      after: End | undefined,
      limit: number,
      most = limit,
    ) => {
      if (!hasPages(sort, filters))
        return E.map((rows: ReadonlyArray<Listed>) => ({ rows, next: undefined }))(
          await read(longestSessions(accountId, { filters, sort, limit: most }, asOf)),
        )
      const { field } = byTime[sort]
      return pageOf(
        limit,
        (one) => read(sessionsInOrder(accountId, { filters, sort, limit: one, ...(after && { after }) }, asOf)),
        (rows) => pageEnd(rows, (row) => row[field] ?? row.startedAt, after),
      )
    }
    return {
      ...story.handlers(backend),
      ...live.handlers(backend),
      ...record.handlers(backend),
      'GET /api/accounts/:account/conversations': async (request) => {
        const list = asked(request)
        if (E.isLeft(list)) return list
        const { accountId } = request
        const { filters, cursor, limit } = list.right
        const asOf = new Date(now())
        const [found, counted] = await Promise.all([
          pageAfter(accountId, list.right, asOf, cursor, limit),
          // Later pages show the count of the first.
          cursor === undefined
            ? read(counting('sessions', branchesOf(accountId, filters, asOf, []), maxCounted))
            : undefined,
        ])
        if (E.isLeft(found)) return found
        // The list is shown too if counting takes too long.
        const count = counted !== undefined && E.isRight(counted) ? countOf(counted.right) : undefined
        const answer: ConversationsAnswer = {
          ...listed(found.right, (row) => rowOf(row, asOf)),
          ...(count !== undefined && { count, countIsMin: count >= maxCounted }),
        }
        return ok(answer)
      },
      'GET /api/accounts/:account/conversations.csv': async (request) => {
        const list = asked(request)
        if (E.isLeft(list)) return list
        const { accountId, signal } = request
        const asOf = new Date(now())
        const text = await csvOfPages(
          columns,
          (row: Listed) => cells(rowOf(row, asOf), asOf),
          (after: End | undefined, limit) => pageAfter(accountId, list.right, asOf, after, limit, maxCounted),
          list.right.cursor,
          signal,
        )
        return E.isLeft(text) ? text : E.right(csvFile(`${accountId}-conversations.csv`, text.right))
      },
    }
  },
})
