import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { exactShape } from '../../../../contracts/primitives.ts'
import type { ConsoleRole } from '../../../bridge/domain/accounts.ts'
import { invalid, type Refusal } from '../../../bridge/http/answer.ts'
import type { AnyOperation, Resources } from '../../../bridge/operations/operation.ts'
import { type Option, readValues } from '../../../bridge/operations/options.ts'
import { hasRoleForAll, rolesFor } from '../../access/grants.ts'
import type { Backend, ConsoleResources } from '../../backend.ts'
import { type ConsoleRequest, decodeAs, forbidden, ok, part, type Session } from '../../page.ts'
import { streamed } from '../../run.ts'

/**
 * The operations of the command line that this session may run by a form. `value`: what the option's value is; absent
 * for a flag. `isConfirmed`: the page asks before each run. `confirm`: what the page asks before a run with the option.
 */
export const OperationsAnswer = exactShape(
  {
    operations: t.array(
      t.strict({
        name: t.string,
        summary: t.string,
        mayRunDry: t.boolean,
        isConfirmed: t.boolean,
        options: t.array(
          t.intersection([
            t.strict({ name: t.string, about: t.string, isRequired: t.boolean }),
            t.partial({ value: t.string, confirm: t.string }),
          ]),
        ),
      }),
    ),
  },
  {},
  'OperationsAnswer',
)
export type OperationsAnswer = t.TypeOf<typeof OperationsAnswer>

/**
 * Body: the operation, and its options by their names: text, or true for a flag.
 */
export const OperationBody = exactShape(
  { name: t.string, options: t.record(t.string, t.unknown), dryRun: t.boolean },
  {},
  'OperationBody',
)
export type OperationBody = t.TypeOf<typeof OperationBody>

const notOffered: Refusal = invalid(404, 'name: expected an operation that the console offers')

const refused = (role: ConsoleRole, whose: string): Refusal =>
  forbidden(`account: expected the role ${role} for ${whose}`)

const shownOption = ([name, { about, value, confirm, isRequired }]: readonly [string, Option]) => ({
  name,
  about,
  isRequired: isRequired === true,
  ...(value !== undefined && { value }),
  ...(confirm !== undefined && { confirm }),
})
const shown = ({ name, summary, options, dryRun, confirm }: AnyOperation): OperationsAnswer['operations'][number] => ({
  name,
  summary,
  mayRunDry: dryRun !== undefined,
  isConfirmed: confirm !== undefined,
  options: Object.entries<Option>(options).map(shownOption),
})

/** The name of the option that names an account. */
const accountOptionOf = ({ options }: AnyOperation): string | undefined =>
  Object.entries<Option>(options).find(([, { isAccount }]) => isAccount)?.[0]

/** The operations of the command line that say in which role the console offers them: one runner for all. */
export const operations = part({
  routes: {
    'GET /api/accounts/:account/operations': { answer: OperationsAnswer },
    'POST /api/accounts/:account/operations/run': { answer: 'application/x-ndjson', roles: ['operator', 'privacy'] },
  },
  handlers: (backend: ConsoleResources & Pick<Backend, 'operations' | 'recordActionOf'>) => {
    const { accounts, recordActionOf } = backend
    const offered = backend.operations.flatMap((each) =>
      each.role === undefined ? [] : [{ ...each, role: each.role }],
    )
    const mayForAll = ({ grants }: Session, role: ConsoleRole) => hasRoleForAll(grants, accounts, role)

    /** The options with the account of the page. Left: the session may not run it so. */
    const allowed = (
      { session, accountId }: Pick<ConsoleRequest, 'session' | 'accountId'>,
      operation: AnyOperation & { readonly role: ConsoleRole },
      options: Readonly<Record<string, unknown>>,
    ): E.Either<Refusal, Readonly<Record<string, unknown>>> => {
      const { role } = operation
      const account = accountOptionOf(operation)
      const concernsAll = Object.entries<Option>(operation.options).some(
        ([name, { isForAll }]) => isForAll && options[name],
      )
      if (account === undefined || concernsAll)
        return mayForAll(session, role) ? E.right(options) : E.left(refused(role, 'every account'))
      return rolesFor(session.grants, accountId).includes(role)
        ? E.right({ ...options, [account]: accountId })
        : E.left(refused(role, 'this account'))
    }
    return {
      'GET /api/accounts/:account/operations': async ({ session }) =>
        ok({ operations: offered.filter(({ role, hasForm }) => hasForm && mayForAll(session, role)).map(shown) }),
      'POST /api/accounts/:account/operations/run': async (request) => {
        const asked = decodeAs(OperationBody, request.body)
        if (E.isLeft(asked)) return asked
        const { name, options, dryRun } = asked.right
        const operation = offered.find((each) => each.name === name)
        if (operation === undefined) return E.left(notOffered)
        const given = allowed(request, operation, options)
        if (E.isLeft(given)) return given
        const values = readValues(operation.options, given.right)
        if (E.isLeft(values)) return E.left(invalid(400, `${values.left.name}: expected ${values.left.expected}`))
        // It needs only what the console has: a test looks at each operation with a role.
        return streamed(request, recordActionOf, dryRun && operation.dryRun !== undefined, (run) =>
          operation.performWith(backend as ConsoleResources as Resources, values.right, run),
        )
      },
    }
  },
})
