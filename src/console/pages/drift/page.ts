import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { Count, exactShape } from '../../../../contracts/primitives.ts'
import { DriftDocument, driftKinds, maxDriftEntries } from '../../../../contracts/views/drift.ts'
import type { Find } from '../../../bridge/mongo/source.ts'
import { rolesFor } from '../../access/grants.ts'
import type { Backend } from '../../backend.ts'
import { documentOf } from '../../documents.ts'
import { documentAnswer, type Sight } from '../../mask.ts'
import { type ConsoleRequest, everyone, ok, operators, page, recordLook } from '../../page.ts'
import { Cursor, Limit, listed, pageOf, readQuery } from '../../query.ts'

const DriftQuery = t.partial(
  {
    kind: t.keyof(driftKinds, `one of ${Object.keys(driftKinds).join(', ')}`),
    // A number, not an id: callers can read a cursor, and ids contain paths, which are personal. There are few entries.
    cursor: Cursor(t.strict({ skip: Count }), 'next'),
    limit: Limit(maxDriftEntries),
  },
  'DriftQuery',
)

/**
 * What came last is first. Query: `kind`, `limit`, `cursor`. A masked answer has no `example`, an empty `_id`, and a `path` for operators only.
 */
export const DriftAnswer = exactShape(
  { masked: t.boolean, rows: t.array(documentOf(DriftDocument)) },
  { next: t.string },
  'DriftAnswer',
)
export type DriftAnswer = t.TypeOf<typeof DriftAnswer>

const usualLimit = 200

/**
 * The entries of an account, what came last first. They are found by `_id`, which begins with the account's id and a
 * slash. No account's id has a slash. `0` is the character after it. MongoDB sorts the entries that it has found: an
 * account has at most `maxDriftEntries`. One that comes again between two pages moves to the first.
 */
export const entries = (
  accountId: string,
  { kind, skip, limit }: { readonly kind?: DriftDocument['kind']; readonly skip: number; readonly limit: number },
): Find<DriftDocument> => ({
  view: 'drift',
  row: DriftDocument,
  where: { _id: { $gt: `${accountId}/`, $lt: `${accountId}0` }, ...(kind && { kind }) },
  sort: { lastAt: -1, _id: 1 },
  skip,
  limit,
})

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

export const drift = page({
  name: 'drift',
  title: 'Drift',
  key: 'r',
  roles: everyone,
  routes: {
    'GET /api/accounts/:account/drift': { answer: DriftAnswer },
    'POST /api/accounts/:account/drift/unmask': { answer: DriftAnswer, roles: operators },
  },
  handlers: ({ read, recordActionOf }: Pick<Backend, 'read' | 'recordActionOf'>) => {
    const list = async ({ session, accountId, query }: ConsoleRequest, sight: Sight) => {
      const asked = readQuery(DriftQuery, query)
      if (E.isLeft(asked)) return asked
      const { cursor: { skip } = { skip: 0 }, limit = usualLimit, ...filters } = asked.right
      const found = await pageOf(
        limit,
        (most) => read(entries(accountId, { ...filters, skip, limit: most })),
        () => ({ skip: skip + limit }),
      )
      if (E.isLeft(found)) return found
      const isOperator = rolesFor(session.grants, accountId).includes('operator')
      const answer: DriftAnswer = {
        masked: sight === 'masked',
        ...listed(found.right, (row) => rowOf(row, sight, isOperator)),
      }
      return ok(answer)
    }
    return {
      'GET /api/accounts/:account/drift': (request) => list(request, 'masked'),
      'POST /api/accounts/:account/drift/unmask': async (request) => {
        const recorded = await recordLook(recordActionOf)(request, 'examples of drift')
        return E.isLeft(recorded) ? recorded : list(request, 'clear')
      },
    }
  },
})
