import * as E from 'fp-ts/lib/Either.js'
import { invalid, type Refusal } from '../../bridge/http/answer.ts'
import type { AnyOperation, Done, Resources, Stop } from '../../bridge/operations/operation.ts'
import { type Option, readValues } from '../../bridge/operations/options.ts'
import { rolesFor } from '../access/grants.ts'
import { OperationBody, type OperationsAnswer, type RebuildEnd } from '../answers.ts'
import { decodeAs, type Handlers, ok, type RecordActionOf, type Session } from '../handler.ts'
import { streamed } from '../run.ts'

/** What operations can work with in the console. The keys of the archive are only where the archiver runs. */
export type ConsoleResources = Omit<
  Resources,
  'wrapping' | 'appendTo' | 'consoleSessions' | 'running' | 'consoleUrl' | 'dataFolder'
>

export type OperationsDeps = {
  readonly operations: ReadonlyArray<AnyOperation>
  readonly resources: ConsoleResources
  readonly recordActionOf: RecordActionOf
}

const notOffered: Refusal = invalid(404, 'name: expected an operation that your roles for every account allow')

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

/** Operations of the command line that say in which role the console offers them. */
export const operationsHandlers = ({
  operations,
  resources,
  recordActionOf,
}: OperationsDeps): Handlers<
  'GET /api/accounts/:account/operations' | 'POST /api/accounts/:account/operations/run'
> => {
  const offeredTo = ({ grants }: Session) =>
    operations.filter(
      ({ role }) => role !== undefined && resources.accounts.every(({ id }) => rolesFor(grants, id).includes(role)),
    )
  return {
    'GET /api/accounts/:account/operations': async ({ session }) => ok({ operations: offeredTo(session).map(shown) }),
    'POST /api/accounts/:account/operations/run': async (request) => {
      const asked = decodeAs(OperationBody, request.body)
      if (E.isLeft(asked)) return asked
      const operation = offeredTo(request.session).find(({ name }) => name === asked.right.name)
      if (operation === undefined) return E.left(notOffered)
      const values = readValues(operation.options, asked.right.options)
      if (E.isLeft(values)) return E.left(invalid(400, `${values.left.name}: expected ${values.left.expected}`))
      const endOf = (ended: E.Either<Stop, Done<unknown>>, say: (line: string) => void): RebuildEnd => {
        const { code, lines = [], trouble } = E.isLeft(ended) ? { code: 1, trouble: ended.left.reason } : ended.right
        for (const line of trouble === undefined ? lines : [...lines, trouble]) say(line)
        return { ok: code === 0 }
      }
      const dryRun = asked.right.dryRun && operation.dryRun !== undefined
      return streamed(
        request,
        recordActionOf,
        dryRun,
        // It needs only what the console has: a test looks at each operation with a role.
        (run) => operation.performWith(resources as Resources, values.right, run),
        endOf,
      )
    },
  }
}
