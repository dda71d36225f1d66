import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Action, actions } from '../../../contracts/commands/operator-action.ts'
import { BsonDate } from '../../../contracts/primitives.ts'
import { AuditDocument } from '../../../contracts/views/audit.ts'
import type { Query } from '../../mongo/connect.ts'
import { auditIn } from '../../mongo/console-privacy.ts'
import type { AuditAnswer } from '../answers.ts'
import { type Handlers, ok, unavailable } from '../handler.ts'
import { documentAnswer } from '../mask.ts'
import { Cursor, cursorText, Limit, readQuery } from '../query.ts'

export type AuditDeps = { readonly mongoQuery: Query }

const ActionName = t.keyof(
  Object.fromEntries(actions.map((action) => [action, null])) as Record<Action, null>,
  `one of ${actions.join(', ')}`,
)
const AuditQuery = t.partial(
  {
    action: ActionName,
    cursor: Cursor(t.strict({ at: BsonDate, _id: t.string }, 'AuditEnd'), 'next'),
    limit: Limit(200),
  },
  'AuditQuery',
)

const usualLimit = 50
const row = documentAnswer(AuditDocument)

/** The audit log. The names of operators are personal data, but they are its purpose, so they are not masked. */
export const auditHandlers = ({ mongoQuery }: AuditDeps): Handlers<'GET /api/accounts/:account/audit'> => ({
  'GET /api/accounts/:account/audit': async ({ accountId, query }) => {
    const read = readQuery(AuditQuery, query)
    if (E.isLeft(read)) return read
    const { action, cursor, limit = usualLimit } = read.right
    const asked = { limit: limit + 1, ...(action && { action }), ...(cursor && { after: cursor }) }
    const found = await mongoQuery(auditIn)(accountId, asked)
    if (E.isLeft(found)) return E.left(unavailable(found.left.reason))
    const rows = found.right.slice(0, limit)
    const last = found.right.length > limit ? rows.at(-1) : undefined
    const body: AuditAnswer = {
      rows: rows.map((each) => row(each, 'clear')),
      ...(last && { next: cursorText({ at: last.at, _id: last._id }) }),
    }
    return ok(body)
  },
})
