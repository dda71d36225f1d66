import * as E from 'fp-ts/lib/Either.js'
import type { WrappingKeys } from '../archive/key-file.ts'
import type { Restore } from '../archive/restore.ts'
import { type Account, type ConsoleRole, unknownAccount } from '../domain/accounts.ts'
import type { ArchiveKeys } from '../domain/archive-keys.ts'
import type { Append } from '../domain/log/record.ts'
import type { KafkaPorts } from '../kafka/kafka.ts'
import type { ConsoleSessions } from '../mongo/console-sessions.ts'
import type { Erasures } from '../mongo/erasures.ts'
import type { Rebuilds } from '../mongo/rebuild/rebuilds.ts'
import type { Redrives } from '../mongo/redrives.ts'
import type { SilentPersons } from '../mongo/silent-persons.ts'
import { type Asked, notRecorded, type RecordAction } from './audit.ts'
import type { Option, Options, ValuesOf } from './options.ts'
import type { ShowProgress } from './progress.ts'

/** What operations work with. `src/app` opens what an operation needs, and closes it afterwards. */
export type Resources = {
  readonly accounts: ReadonlyArray<Account>
  readonly topicPrefix: string
  /** DATA_DIR. */
  readonly dataFolder: string
  /** How long event topics are kept as plain text. */
  readonly retentionDays: number | 'forever'
  readonly kafka: KafkaPorts
  /** Appends to a topic by its full name. */
  readonly appendTo: Append
  /** Every function of it rejects where no MongoDB is known. */
  readonly redrives: Redrives
  readonly erasures: Erasures
  readonly silentPersons: SilentPersons
  readonly archiveKeys: ArchiveKeys
  readonly rebuilds: Rebuilds
  readonly wrapping: WrappingKeys
  /** Undefined without keys of the archive. */
  readonly restore: Restore | undefined
  readonly consoleSessions: ConsoleSessions
  /** The bridge that runs with this DATA_DIR: its operators' port, if one runs, and where the console is. */
  readonly running: { readonly adminUrl: string | undefined; readonly consolePath: string }
  /** The address of the console. */
  readonly consoleUrl: string
}
export type Need = keyof Resources

/** Who runs an operation and sees what it says: a terminal, or a page of the console. */
export type Run<Selected = unknown> = {
  readonly isDry: boolean
  /** A line about what the operation does. */
  readonly say: (line: string) => void
  readonly warn: (line: string) => void
  readonly progress: ShowProgress
  /** How long it may wait for something that takes its time. */
  readonly withinMs: number
  /** Aborts when the operation has to end early. Only from this call on is a signal to the process such a reason. */
  readonly interruption: () => AbortSignal
  /** Who does it, for a receipt. */
  readonly who: string
  readonly recordAction: RecordAction
  readonly confirm: (question: string, selected: Selected) => Promise<boolean>
}

/**
 * Why an operation did nothing. `unavailable`: a server does not respond, so it may be repeated later. `nothing`: there
 * is nothing to do.
 */
export type Stop = {
  readonly kind: 'refused' | 'absent' | 'nothing' | 'unavailable' | 'unconfirmed' | 'unrecorded'
  readonly reason: string
}
export const stop = (kind: Stop['kind'], reason: string): E.Either<Stop, never> => E.left({ kind, reason })

/** What an operation has done. */
export type Done<Result> = {
  /** The exit code of the command. */
  readonly code: number
  /** What is true whether or not the files can be written. */
  readonly lines?: ReadonlyArray<string>
  /** Files that only this user can read, and what is said once each is written. */
  readonly files?: ReadonlyArray<{
    readonly path: string
    readonly text: string
    readonly lines: ReadonlyArray<string>
  }>
  /** Why it ended early. */
  readonly trouble?: string
  /** What `--json` prints. */
  readonly result?: Result
}

/** A question before `act`; undefined if none is needed. `declined`: what is said if the answer is not yes. */
type Confirm<Selected> = {
  readonly question: (selected: Selected) => string | undefined
  readonly declined: string
}

/**
 * What an operator can do. One runner serves all operations, on the command line and in the console: it selects, shows,
 * asks, records, acts.
 */
export type Operation<Ports, O extends Options, Selected, Result> = {
  /** The words on the command line: `redrive send`. */
  readonly name: string
  /** A line for tables of all operations. */
  readonly summary: string
  readonly description?: string
  readonly options: O
  /** The description of `--json`. Without it there is no such option, and so on. */
  readonly json?: string
  /** Who may run it by a form on the page System of the console: this role for every account. */
  readonly role?: ConsoleRole
  /** `acts`: a dry run does not end after `show`. It calls `act`, which changes nothing then. */
  readonly dryRun?: { readonly about: string; readonly acts?: true }
  readonly confirm?: Confirm<Selected>
  /** The exit code if nothing was done, also because of wrong options. Default: 1, and 78 for a wrong configuration. */
  readonly exitCodeOfFailure?: number
  readonly needs: { readonly [N in keyof Ports]: true }
  /** Finds what the operation is about. Changes nothing. */
  readonly select: (ports: Ports, options: ValuesOf<O>, run: Run<never>) => Promise<E.Either<Stop, Selected>>
  readonly show?: (selected: Selected) => ReadonlyArray<string>
  /**
   * What is recorded on the topic `audit` before `act`. Undefined: nothing is changed, and no personal data is shown.
   */
  readonly action?: (selected: Selected) => Asked | undefined
  readonly act: (ports: Ports, selected: Selected, run: Run<never>) => Promise<Done<Result>>
}

/** The accounts of the accounts file: each operation with the option of an account needs them. */
export type Accounts = { readonly accounts: ReadonlyArray<{ readonly id: string }> }

/** Why an account that the options name is refused. */
const wrongAccountIn = (options: Options, values: object, ports: object): string | undefined => {
  const given = Object.entries<Option>(options).flatMap(([name, { isAccount }]) => {
    const value: unknown = isAccount ? Reflect.get(values, name) : undefined
    return typeof value === 'string' ? [value] : []
  })
  if (given.length === 0) return undefined
  const ids = (ports as Accounts).accounts.map(({ id }) => id)
  return given.flatMap((id) => unknownAccount(ids, id) ?? [])[0]
}

/**
 * Runs an operation. Left: nothing was done. The action is recorded first, so that nothing happens that cannot be
 * recorded.
 */
const perform = async <Ports extends object, O extends Options, Selected, Result>(
  operation: Operation<Ports, O, Selected, Result>,
  ports: Ports,
  options: ValuesOf<O>,
  run: Run<Selected>,
): Promise<E.Either<Stop, Done<Result>>> => {
  const { select, show, dryRun, confirm, action, act } = operation
  const wrongAccount = wrongAccountIn(operation.options, options, ports)
  if (wrongAccount !== undefined) return stop('absent', wrongAccount)
  const selected = await select(ports, options, run)
  if (E.isLeft(selected)) return selected
  for (const line of show?.(selected.right) ?? []) run.say(line)
  if (run.isDry) return E.right(dryRun?.acts ? await act(ports, selected.right, run) : { code: 0 })
  const question = confirm?.question(selected.right)
  if (confirm && question !== undefined && !(await run.confirm(question, selected.right)))
    return stop('unconfirmed', confirm.declined)
  const asked = action?.(selected.right)
  const recorded = asked === undefined ? E.right(undefined) : await run.recordAction(asked)
  if (E.isLeft(recorded)) return stop('unrecorded', notRecorded(recorded.left))
  return E.right(await act(ports, selected.right, run))
}

/** An operation without its own types, as it stands in a list. */
export type AnyOperation = Pick<
  Operation<object, Options, never, unknown>,
  'name' | 'summary' | 'description' | 'options' | 'json' | 'role' | 'dryRun' | 'confirm' | 'exitCodeOfFailure'
> & {
  readonly needs: { readonly [N in Need]?: true }
  /** Runs it with the values that the readers of its options returned. */
  readonly performWith: (resources: Resources, values: object, run: Run) => Promise<E.Either<Stop, Done<unknown>>>
}

/**
 * Makes an operation that the command line and the console can run. The types of its ports and of what it selects are
 * those of its functions.
 */
export const operation = <Ports extends object, O extends Options, Selected, Result = undefined>(
  spec: Operation<Ports, O, Selected, Result>,
) => ({
  ...spec,
  perform: (ports: Ports, options: ValuesOf<O>, run: Run<Selected>) => perform(spec, ports, options, run),
  // The values come from the readers of its options.
  performWith: (ports: Ports, values: object, run: Run) => perform(spec, ports, values as ValuesOf<O>, run),
})
