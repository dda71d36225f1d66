import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { Count } from '../../../contracts/primitives.ts'
import { DriftDocument, driftKinds, maxDriftEntries } from '../../../contracts/views/drift.ts'
import type { Query } from '../../bridge/mongo/connect.ts'
import { driftIn } from '../../bridge/mongo/console-statistics.ts'
import { rolesFor } from '../access/grants.ts'
import type { DriftAnswer } from '../answers.ts'
import { type ConsoleHandler, type Handlers, ok, type RecordActionOf, recordLook, unavailable } from '../handler.ts'
import { documentAnswer, type Sight } from '../mask.ts'
import { Cursor, cursorText, Limit, readQuery } from '../query.ts'

export type DriftDeps = {
  readonly mongoQuery: Query
  readonly recordActionOf: RecordActionOf
}

const DriftQuery = t.partial(
  {
    kind: t.keyof(driftKinds, `one of ${Object.keys(driftKinds).join(', ')}`),
    // A number, not an id: callers can read a cursor, and ids contain paths, which are personal. There are few entries.
    cursor: Cursor(t.strict({ skip: Count }), 'next'),
    limit: Limit(maxDriftEntries),
  },
  'DriftQuery',
)

const usualLimit = 200
const driftAnswer = documentAnswer(DriftDocument)

/**
 * An example is only the shape of a value, but the value may be personal. So it is shown in clear only. Operators
 * always see the path, in which what may be personal is `*` already: without it they cannot tell what the service has
 * changed.
 */
const rowOf = (document: DriftDocument, sight: Sight, isOperator: boolean) => {
  const { example, ...rest } = driftAnswer(document, sight)
  return {
    ...rest,
    ...(isOperator && { path: document.path }),
    ...(sight === 'clear' && example !== undefined && { example }),
  }
}

export const driftHandlers = ({
  mongoQuery,
  recordActionOf,
}: DriftDeps): Handlers<'GET /api/accounts/:account/drift' | 'POST /api/accounts/:account/drift/unmask'> => {
  const answer =
    (sight: Sight): ConsoleHandler<'GET /api/accounts/:account/drift'> =>
    async ({ session, accountId, query }) => {
      const isOperator = rolesFor(session.grants, accountId).includes('operator')
      const read = readQuery(DriftQuery, query)
      if (E.isLeft(read)) return read
      const { kind, cursor: { skip } = { skip: 0 }, limit = usualLimit } = read.right
      const asked = { skip, limit: limit + 1, ...(kind && { kind }) }
      const found = await mongoQuery(driftIn)(accountId, asked)
      if (E.isLeft(found)) return E.left(unavailable(found.left.reason))
      const rows = found.right.slice(0, limit)
      const body: DriftAnswer = {
        masked: sight === 'masked',
        rows: rows.map((row) => rowOf(row, sight, isOperator)),
        ...(found.right.length > limit && { next: cursorText({ skip: skip + limit }) }),
      }
      return ok(body)
    }
  return {
    'GET /api/accounts/:account/drift': answer('masked'),
    'POST /api/accounts/:account/drift/unmask': async (request) => {
      const recorded = await recordLook(recordActionOf)(request, 'examples of drift')
      return E.isLeft(recorded) ? recorded : answer('clear')(request)
    },
  }
}
