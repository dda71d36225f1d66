import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { BsonDate, Id } from '../../../contracts/primitives.ts'
import { SessionOutcome } from '../../../contracts/views/session.ts'
import type { Now } from '../../bridge/domain/clock.ts'
import type { Refusal } from '../../bridge/http/answer.ts'
import type { Query } from '../../bridge/mongo/connect.ts'
import {
  type ConversationFilters,
  type ConversationSort,
  type ConversationsPage,
  conversationCountIn,
  conversationsIn,
  hasPages,
  maxCounted,
} from '../../bridge/mongo/console-conversations.ts'
import type { ConversationRow, ConversationsAnswer } from '../answers.ts'
import { sessionState } from '../browser/words.ts'
import { csvFile, csvOfPages } from '../csv.ts'
import { type Handlers, ok, unavailable } from '../handler.ts'
import { Cursor, cursorText, Limit, LocalTime, On, readQuery, readSpan } from '../query.ts'

export type ConversationsDeps = {
  readonly now: Now
  readonly timeZoneOf: (accountId: string) => string
  readonly mongoQuery: Query
}

/** The end of a page of results (shared/page.ts). */
export const PageEnd = t.strict({ at: BsonDate, ids: t.array(t.string) }, 'PageEnd')

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

const usualLimit = 50

const rowOf = (session: ConversationsPage['rows'][number], now: Date): ConversationRow => {
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
export const conversationsHandlers = ({
  now,
  timeZoneOf,
  mongoQuery,
}: ConversationsDeps): Handlers<
  'GET /api/accounts/:account/conversations' | 'GET /api/accounts/:account/conversations.csv'
> => {
  const findConversations = mongoQuery(conversationsIn)
  const countConversations = mongoQuery(conversationCountIn)
  const read = (accountId: string, query: URLSearchParams) => {
    const asked = readQuery(ConversationsQuery, query)
    if (E.isLeft(asked)) return asked
    const { cursor, limit = usualLimit } = asked.right
    const sort: ConversationSort = asked.right.sort ?? 'newest'
    const filters = filtersOf(asked.right, timeZoneOf(accountId))
    return E.isLeft(filters) ? filters : E.right({ filters: filters.right, sort, cursor, limit })
  }
  return {
    'GET /api/accounts/:account/conversations': async ({ accountId, query }) => {
      const asked = read(accountId, query)
      if (E.isLeft(asked)) return asked
      const { filters, sort, limit, cursor } = asked.right
      const asOf = new Date(now())
      const [page, counted] = await Promise.all([
        findConversations(accountId, { filters, sort, limit, ...(cursor && { after: cursor }) }, asOf),
        // Later pages show the count of the first.
        cursor === undefined ? countConversations(accountId, filters, asOf) : E.right(undefined),
      ])
      if (E.isLeft(page)) return E.left(unavailable(page.left.reason))
      const { rows, next } = page.right
      // The list is shown too if counting takes too long.
      const count = E.isRight(counted) ? counted.right : undefined
      const answer: ConversationsAnswer = {
        rows: rows.map((row) => rowOf(row, asOf)),
        ...(next && { next: cursorText(next) }),
        ...(count !== undefined && { count, countIsMin: count >= maxCounted }),
      }
      return ok(answer)
    },
    'GET /api/accounts/:account/conversations.csv': async ({ accountId, query, signal }) => {
      const asked = read(accountId, query)
      if (E.isLeft(asked)) return asked
      const { filters, sort } = asked.right
      const asOf = new Date(now())
      const text = await csvOfPages(
        columns,
        (row: ConversationsPage['rows'][number]) => cells(rowOf(row, asOf), asOf),
        (after: ConversationsPage['next'], most) =>
          findConversations(
            accountId,
            { filters, sort, limit: hasPages(sort, filters) ? most : maxCounted, ...(after && { after }) },
            asOf,
          ),
        asked.right.cursor,
        signal,
      )
      if (E.isLeft(text)) return E.left(unavailable(text.left.reason))
      return E.right(csvFile(`${accountId}-conversations.csv`, text.right))
    },
  }
}
