import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Action, actions } from '../../../contracts/commands/operator-action.ts'
import { BsonDate, Id } from '../../../contracts/primitives.ts'
import { AuditDocument } from '../../../contracts/views/audit.ts'
import type { Query } from '../../bridge/mongo/connect.ts'
import { type AuditAsked, auditIn } from '../../bridge/mongo/console-privacy.ts'
import type { AuditAnswer } from '../answers.ts'
import { auditDetailsOf } from '../browser/audit-details.ts'
import { actionWords } from '../browser/words.ts'
import { csvFile, csvOfPages } from '../csv.ts'
import { type Handlers, ok, unavailable } from '../handler.ts'
import { documentAnswer } from '../mask.ts'
import { Cursor, cursorText, Limit, LocalTime, readQuery, readSpan } from '../query.ts'

export type AuditDeps = {
  readonly timeZoneOf: (accountId: string) => string
  readonly mongoQuery: Query
}

const ActionName = t.keyof(
  Object.fromEntries(actions.map((action) => [action, null])) as Record<Action, null>,
  `one of ${actions.join(', ')}`,
)
const AuditQuery = t.partial(
  {
    action: ActionName,
    who: Id,
    about: Id,
    from: LocalTime,
    to: LocalTime,
    cursor: Cursor(t.strict({ at: BsonDate, _id: t.string }, 'AuditEnd'), 'next'),
    limit: Limit(200),
  },
  'AuditQuery',
)

const usualLimit = 50
const row = documentAnswer(AuditDocument)

const columnsIn = (timeZone: string) => [
  `When (${timeZone})`,
  'Who',
  'Action',
  'About',
  'Chat',
  'Time (UTC)',
  'Account',
  'Id',
]

/** The cells in the words of the page. */
const cellsIn = (timeZone: string) => {
  // This locale writes times as spreadsheets read them: 2026-01-31 17:05:00.
  const local = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return ({ at, who, action, detail, accountId, _id }: AuditDocument) => {
    const { words, chat } = auditDetailsOf(detail)
    return [local.format(at), who, actionWords(action), words, chat, at.toISOString(), accountId, _id]
  }
}

/** The days of the filters for the name of a file: `-2026-01-02-to-2026-01-05`. */
const daysText = (from?: string, to?: string): string => {
  const [first, last] = [from?.slice(0, 10), to?.slice(0, 10)]
  if (first !== undefined && first === last) return `-${first}`
  return [
    ...(first === undefined ? [] : [last === undefined ? `-from-${first}` : `-${first}`]),
    ...(last === undefined ? [] : [`-to-${last}`]),
  ].join('')
}

/**
 * The audit log, as a list in pages and as a spreadsheet. The names of operators are personal data, but they are its
 * purpose, so they are not masked.
 */
export const auditHandlers = ({
  timeZoneOf,
  mongoQuery,
}: AuditDeps): Handlers<'GET /api/accounts/:account/audit' | 'GET /api/accounts/:account/audit.csv'> => {
  const read = (accountId: string, query: URLSearchParams) => {
    const asked = readQuery(AuditQuery, query)
    if (E.isLeft(asked)) return asked
    const { action, who, about, from, to, cursor, limit = usualLimit } = asked.right
    const span = readSpan({ from, to }, timeZoneOf(accountId))
    if (E.isLeft(span)) return span
    const filters: Omit<AuditAsked, 'limit'> = {
      ...span.right,
      ...(action && { action }),
      ...(who && { who }),
      ...(about && { about }),
      ...(cursor && { after: cursor }),
    }
    return E.right({ filters, limit, days: daysText(from, to) })
  }
  /** At most `limit` actions, and the last of them if there are more. */
  const pageOf = async (accountId: string, asked: AuditAsked) => {
    const found = await mongoQuery(auditIn)(accountId, { ...asked, limit: asked.limit + 1 })
    if (E.isLeft(found)) return E.left(unavailable(found.left.reason))
    const rows = found.right.slice(0, asked.limit)
    return E.right({ rows, next: found.right.length > asked.limit ? rows.at(-1) : undefined })
  }
  return {
    'GET /api/accounts/:account/audit': async ({ accountId, query }) => {
      const asked = read(accountId, query)
      if (E.isLeft(asked)) return asked
      const page = await pageOf(accountId, { ...asked.right.filters, limit: asked.right.limit })
      if (E.isLeft(page)) return page
      const { rows, next } = page.right
      const body: AuditAnswer = {
        rows: rows.map((each) => row(each, 'clear')),
        ...(next && { next: cursorText({ at: next.at, _id: next._id }) }),
      }
      return ok(body)
    },
    'GET /api/accounts/:account/audit.csv': async ({ accountId, query, signal }) => {
      const asked = read(accountId, query)
      if (E.isLeft(asked)) return asked
      const { filters, days } = asked.right
      const timeZone = timeZoneOf(accountId)
      const pageAfter = (after: AuditAsked['after'], limit: number) =>
        pageOf(accountId, { ...filters, limit, ...(after && { after }) })
      const text = await csvOfPages(columnsIn(timeZone), cellsIn(timeZone), pageAfter, filters.after, signal)
      return E.isLeft(text) ? text : E.right(csvFile(`${accountId}-audit${days}.csv`, text.right))
    },
  }
}
