import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { BsonDate, Day, Id } from '../../../contracts/primitives.ts'
import { SessionOutcome } from '../../../contracts/views/session.ts'
import { spanOf } from '../../domain/day.ts'
import type { Now } from '../../domain/ports.ts'
import type { ConversationsPage, conversationsIn } from '../../mongo/console-conversations.ts'
import type { ConversationRow, ConversationsAnswer } from '../answers.ts'
import { type Handlers, ok, unavailable } from '../handler.ts'
import { Cursor, cursorText, Limit, On, readQuery } from '../query.ts'

export type ConversationsDeps = {
  readonly now: Now
  readonly timeZoneOf: (accountId: string) => string
  readonly findConversations: ReturnType<typeof conversationsIn>
}

/** The end of a page of results (shared/page.ts). */
export const PageEnd = t.strict({ at: BsonDate, ids: t.array(t.string) }, 'PageEnd')

export const ConversationsQuery = t.partial(
  {
    state: t.keyof({ open: null, over: null }, 'open or over'),
    waiting: On,
    outcome: t.keyof(SessionOutcome.keys, `one of ${Object.keys(SessionOutcome.keys).join(', ')}`),
    kind: t.keyof({ agent: null, bot: null }, 'agent or bot'),
    agent: Id,
    widget: Id,
    day: Day,
    failed: On,
    id: Id,
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
    ...(isOpen && awaitingSince && { waitingSince: awaitingSince.toISOString() }),
    ...(clientId !== undefined && { clientId }),
    ...(channelType !== undefined && { channelType }),
  }
}

export const conversationsHandlers = ({
  now,
  timeZoneOf,
  findConversations,
}: ConversationsDeps): Handlers<'GET /api/accounts/:account/conversations'> => ({
  'GET /api/accounts/:account/conversations': async ({ accountId, query }) => {
    const read = readQuery(ConversationsQuery, query)
    if (E.isLeft(read)) return read
    const { day, cursor, limit = usualLimit, ...others } = read.right
    const span = day && spanOf(day, timeZoneOf(accountId))
    const filters = { ...others, ...(span && { span }) }
    const asOf = new Date(now())
    const page = await findConversations(accountId, { filters, limit, ...(cursor && { after: cursor }) }, asOf)
    if (E.isLeft(page)) return E.left(unavailable(page.left.reason))
    const { rows, next } = page.right
    const answer: ConversationsAnswer = {
      rows: rows.map((row) => rowOf(row, asOf)),
      ...(next && { next: cursorText(next) }),
    }
    return ok(answer)
  },
})
