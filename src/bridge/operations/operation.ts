import * as E from 'fp-ts/lib/Either.js'
import type { WrappingKeys } from '../archive/key-file.ts'
import type { Restore } from '../archive/restore.ts'
import { type Account, type ConsoleRole, unknownAccount } from '../domain/accounts.ts'
import type { ArchiveKeys } from '../domain/archive-keys.ts'
import type { Append } from '../domain/log/record.ts'
import type { KafkaPorts } from '../kafka/kafka.ts'
import type { Erasures } from '../mongo/erasures.ts'
import type { Rebuilds } from '../mongo/rebuild/rebuilds.ts'
import type { Redrives } from '../mongo/redrives.ts'
import type { ConsoleSessions } from '../mongo/sign-in-sessions.ts'
import type { SilentPersons } from '../mongo/silent-persons.ts'
import { type Asked, notRecorded, type RecordAction } from './audit.ts'
import type { Option, Options, ValuesOf } from './options.ts'

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

/** Who runs an operation and hears what it says: a terminal, or a page of the console. Each makes its own words of it. */
export type Run<Event = unknown, Selected = unknown> = {
  readonly isDry: boolean
  /** What the operation does, as it happens. */
  readonly say: (event: Event) => void
  /** How long it may wait for something that takes its time. */
  readonly withinMs: number
  /** Aborts when the operation has to end early. Only from this call on is a signal to the process such a reason. */
  readonly interruption: () => AbortSignal
  /** Who does it, for a receipt. */
  readonly who: string
  readonly recordAction: RecordAction
  /** What a dry run shows leaves this machine, so it is recorded. */
  readonly recordsLooks?: true
  /** Whether the person wants it, who has seen what is selected. */
  readonly confirm: (selected: Selected) => Promise<boolean>
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
  readonly result: Result
  /** Files that only this user can read. */
  readonly files?: ReadonlyArray<{ readonly path: string; readonly text: string }>
}

/**
 * What an operator can do. One runner serves all operations, on the command line and in the console: it selects, shows,
 * asks, records, acts.
 */
export type Operation<Name extends string, Ports, O extends Options, Selected, Event, Result> = {
  /** The words on the command line: `redrive send`. */
  readonly name: Name
  /** A line for tables of all operations. */
  readonly summary: string
  readonly description?: string
  readonly options: O
  /** The description of `--json`. Without it there is no such option, and so on. */
  readonly json?: string
  /**
   * Who may run it in the console: this role for the account whose page it is, or for every account if no option of it
   * names an account. Without it the console does not offer it.
   */
  readonly role?: ConsoleRole
  /** The console has a form of it on the page System, made from its options. */
  readonly hasForm?: true
  /**
   * `acts`: a dry run does not end after `show`. It calls `act`, which changes nothing then. `look`: what is recorded
   * before, if the console shows what a dry run finds.
   */
  readonly dryRun?: {
    readonly about: string
    readonly acts?: true
    readonly look?: (selected: Selected) => Asked | undefined
  }
  /** Whether the person must say yes before `act`. */
  readonly confirm?: (selected: Selected) => boolean
  /** The exit code if nothing was done, also because of wrong options. Default: 1, and 78 for a wrong configuration. */
  readonly exitCodeOfFailure?: number
  readonly needs: { readonly [N in keyof Ports]: true }
  /** Finds what the operation is about. Changes nothing. */
  readonly select: (ports: Ports, options: ValuesOf<O>, run: Run<Event, never>) => Promise<E.Either<Stop, Selected>>
  /** What it says before it asks and acts. */
  readonly show?: (selected: Selected) => ReadonlyArray<Event>
  /**
   * What is recorded on the topic `audit` before `act`. Undefined: nothing is changed, and no personal data is shown.
   */
  readonly action?: (selected: Selected) => Asked | undefined
  readonly act: (ports: Ports, selected: Selected, run: Run<Event, never>) => Promise<E.Either<Stop, Done<Result>>>
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
const perform = async <Name extends string, Ports extends object, O extends Options, Selected, Event, Result>(
  operation: Operation<Name, Ports, O, Selected, Event, Result>,
  ports: Ports,
  options: ValuesOf<O>,
  run: Run<Event, Selected>,
): Promise<E.Either<Stop, Done<Result | undefined>>> => {
  const { select, show, dryRun, confirm, action, act } = operation
  const wrongAccount = wrongAccountIn(operation.options, options, ports)
  if (wrongAccount !== undefined) return stop('absent', wrongAccount)
  const selected = await select(ports, options, run)
  if (E.isLeft(selected)) return selected
  for (const event of show?.(selected.right) ?? []) run.say(event)
  const record = async (asked: Asked | undefined): Promise<E.Either<Stop, void>> => {
    const recorded = asked === undefined ? E.right(undefined) : await run.recordAction(asked)
    return E.isLeft(recorded) ? stop('unrecorded', notRecorded(recorded.left)) : recorded
  }
  if (run.isDry) {
    const looked = await record(run.recordsLooks && dryRun?.look?.(selected.right))
    if (E.isLeft(looked)) return looked
    return dryRun?.acts ? act(ports, selected.right, run) : E.right({ code: 0, result: undefined })
  }
  if (confirm?.(selected.right) && !(await run.confirm(selected.right)))
    return stop('unconfirmed', 'Nothing was done, since it was not confirmed.')
  const recorded = await record(action?.(selected.right))
  return E.isLeft(recorded) ? recorded : act(ports, selected.right, run)
}

/** An operation without its own types, as it stands in a list. */
export type AnyOperation = Pick<
  Operation<string, object, Options, never, never, unknown>,
  | 'name'
  | 'summary'
  | 'description'
  | 'options'
  | 'json'
  | 'role'
  | 'hasForm'
  | 'dryRun'
  | 'confirm'
  | 'exitCodeOfFailure'
> & {
  readonly needs: { readonly [N in Need]?: true }
  /** Runs it with the values that the readers of its options returned. */
  readonly performWith: (resources: Resources, values: object, run: Run) => Promise<E.Either<Stop, Done<unknown>>>
}

/**
 * Makes an operation that the command line and the console can run. The types of its ports and of what it selects are
 * those of its functions.
 */
export const operation = <
  const Name extends string,
  Ports extends object,
  O extends Options,
  Selected,
  Event = never,
  Result = undefined,
>(
  spec: Operation<Name, Ports, O, Selected, Event, Result>,
) => ({
  ...spec,
  perform: (ports: Ports, options: ValuesOf<O>, run: Run<Event, Selected>) => perform(spec, ports, options, run),
  // The values come from the readers of its options.
  performWith: (ports: Ports, values: object, run: Run) => perform(spec, ports, values as ValuesOf<O>, run),
})

/** What an operation says while it runs, and its result. */
export type EventOf<O> = O extends {
  readonly perform: (ports: never, options: never, run: Run<infer Event, infer _>) => unknown
}
  ? Event
  : never
export type ResultOf<O> = O extends {
  readonly perform: (...args: never) => Promise<E.Either<Stop, Done<infer Result>>>
}
  ? Exclude<Result, undefined>
  : never
