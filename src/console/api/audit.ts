import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Action, actions } from '../../../contracts/commands/operator-action.ts'
import { BsonDate, Id } from '../../../contracts/primitives.ts'
import { AuditDocument } from '../../../contracts/views/audit.ts'
import { invalid } from '../../http/answer.ts'
import type { Query } from '../../mongo/connect.ts'
import { type AuditAsked, auditIn } from '../../mongo/console-privacy.ts'
import type { AuditAnswer } from '../answers.ts'
import { csv, csvFile } from '../csv.ts'
import { type Handlers, ok, unavailable } from '../handler.ts'
import { documentAnswer } from '../mask.ts'
import { Cursor, cursorText, Limit, LocalTime, readQuery, spanBetween } from '../query.ts'

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
    from: LocalTime,
    to: LocalTime,
    cursor: Cursor(t.strict({ at: BsonDate, _id: t.string }, 'AuditEnd'), 'next'),
    limit: Limit(200),
  },
  'AuditQuery',
)

const usualLimit = 50
const row = documentAnswer(AuditDocument)

/** A spreadsheet with more rows is not read by people. */
const maxCsvRows = 10_000
const rowsAtOnce = 500
const columns = ['at', 'who', 'action', 'detail', 'accountId', '_id'] as const

const cells = ({ at, ...others }: AuditDocument) =>
  columns.map((name) => (name === 'at' ? at.toISOString() : others[name]))

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
    const { action, who, from, to, cursor, limit = usualLimit } = asked.right
    const span = spanBetween({ ...(from && { from }), ...(to && { to }) }, timeZoneOf(accountId))
    if (span.from !== undefined && span.to !== undefined && span.from >= span.to)
      return E.left(invalid(400, 'from, to: expected a time, and a later one'))
    const filters: Omit<AuditAsked, 'limit'> = {
      ...span,
      ...(action && { action }),
      ...(who && { who }),
      ...(cursor && { after: cursor }),
    }
    return E.right({ filters, limit })
  }
  /** At most `limit` actions, and whether there are more. */
  const pageOf = async (accountId: string, asked: AuditAsked) => {
    const found = await mongoQuery(auditIn)(accountId, { ...asked, limit: asked.limit + 1 })
    if (E.isLeft(found)) return E.left(unavailable(found.left.reason))
    const rows = found.right.slice(0, asked.limit)
    return E.right({ rows, last: found.right.length > asked.limit ? rows.at(-1) : undefined })
  }
  return {
    'GET /api/accounts/:account/audit': async ({ accountId, query }) => {
      const asked = read(accountId, query)
      if (E.isLeft(asked)) return asked
      const page = await pageOf(accountId, { ...asked.right.filters, limit: asked.right.limit })
      if (E.isLeft(page)) return page
      const { rows, last } = page.right
      const body: AuditAnswer = {
        rows: rows.map((each) => row(each, 'clear')),
        ...(last && { next: cursorText({ at: last.at, _id: last._id }) }),
      }
      return ok(body)
    },
    'GET /api/accounts/:account/audit.csv': async ({ accountId, query, signal }) => {
      const asked = read(accountId, query)
      if (E.isLeft(asked)) return asked
      let text = csv([columns])
      let filters = asked.right.filters
      for (let count = 0; count < maxCsvRows && !signal.aborted; count += rowsAtOnce) {
        const page = await pageOf(accountId, { ...filters, limit: rowsAtOnce })
        if (E.isLeft(page)) return page
        text += csv(page.right.rows.map(cells))
        if (page.right.last === undefined) break
        filters = { ...filters, after: page.right.last }
      }
      return E.right(csvFile(`${accountId}-audit.csv`, text))
    },
  }
}
