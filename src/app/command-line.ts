import { Argument, type Command, Option as CommandOption, InvalidArgumentError } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { codeOf } from '../bridge/journal/files.ts'
import type { AnyOperation, Done, Resources, Run, Stop } from '../bridge/operations/operation.ts'
import type { Option } from '../bridge/operations/options.ts'
import { isProgress } from '../bridge/operations/progress.ts'
import { writePrivateFile } from '../bridge/shared/private-files.ts'
import { type AnyWords, wordsOf } from './terminal/list.ts'
import type { ShowProgress } from './terminal/progress.ts'
import type { Line } from './terminal/words.ts'

/** The options that the runner understands, besides those of the operation. */
export type Flags = { readonly json?: true; readonly dryRun?: true; readonly yes?: true }

export type Execute = (operation: AnyOperation, values: object, flags: Flags) => Promise<void>

/** The descriptions of the commands that only have commands below them. */
const groups: Readonly<Record<string, string>> = {
  archive: 'maintain the encrypted archive of the event topics',
  console: 'the console, of a bridge that runs on this machine',
  contracts: 'compare the published contracts with those that were released',
  redrive: 'look at dead letters, and send them back to their topics',
}

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const parserOf = ({ read, many }: Option) => {
  if (read === undefined) return undefined
  return (text: string, before: unknown) => {
    const value = read(text)
    if (E.isLeft(value)) throw new InvalidArgumentError(`Expected ${value.left}.`)
    return many === undefined ? value.right : [...(Array.isArray(before) ? before : []), value.right]
  }
}

const argumentOf = ({ about, value, isRequired, ...option }: Option) => {
  const argument = new Argument(isRequired ? `<${value}>` : `[${value}]`, about)
  const parser = parserOf({ about, ...option })
  return parser === undefined ? argument : argument.argParser(parser)
}

const shownValue = ({ value, many }: Option): string => {
  if (value === undefined) return ''
  return many === 'any' ? ` [${value}...]` : ` <${value}${many === 'list' ? '...' : ''}>`
}

const optionOf = (name: string, option: Option) => {
  const { about, conflicts, isRequired } = option
  const made = new CommandOption(`--${kebab(name)}${shownValue(option)}`, about)
  const parser = parserOf(option)
  if (parser !== undefined) made.argParser(parser)
  if (option.default !== undefined) made.default(option.default)
  if (conflicts !== undefined) made.conflicts([...conflicts])
  return made.makeOptionMandatory(isRequired === true)
}

/** The options of the runner that an operation has. */
const flagsOf = ({ json, dryRun, confirm }: Pick<AnyOperation, 'json' | 'dryRun' | 'confirm'>) => ({
  ...(dryRun && { dryRun: { about: dryRun.about } }),
  ...(confirm && { yes: { about: 'do not ask for confirmation' } }),
  ...(json !== undefined && { json: { about: json } }),
})

const addTo = (command: Command, operation: AnyOperation, execute: Execute) => {
  const { summary, description = summary, options, exitCodeOfFailure } = operation
  command.summary(summary).description(description)
  if (exitCodeOfFailure !== undefined)
    command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : exitCodeOfFailure))
  const given = Object.entries<Option>(options)
  for (const [, option] of given) if (option.isArgument) command.addArgument(argumentOf(option))
  for (const [name, option] of [
    ...given.filter(([, { isArgument }]) => !isArgument),
    ...Object.entries<Option>(flagsOf(operation)),
  ])
    command.addOption(optionOf(name, option))
  const names = given.flatMap(([name, { isArgument }]) => (isArgument ? [name] : []))
  command.action(async (...args: ReadonlyArray<unknown>) => {
    const { json: isJson, dryRun: isDry, yes, ...values } = command.opts()
    const positional = names.flatMap((name, i) => (args[i] === undefined ? [] : [[name, args[i]] as const]))
    // commander gives true for an option whose values are left out.
    const lists = Object.entries(values).map(([name, value]) => [
      name,
      value === true && options[name]?.many === 'any' ? [] : value,
    ])
    await execute(
      operation,
      { ...Object.fromEntries(positional), ...Object.fromEntries(lists) },
      { ...(isJson && { json: true }), ...(isDry && { dryRun: true }), ...(yes && { yes: true }) },
    )
  })
}

/** Adds a command for each operation. `redrive list` is the command `list` of the command `redrive`. */
export const addOperations = (program: Command, operations: ReadonlyArray<AnyOperation>, execute: Execute): Command => {
  // `erase release --account acme`: the option belongs to the last command, although `erase` has it too.
  program.enablePositionalOptions()
  for (const operation of operations) {
    const command = operation.name.split(' ').reduce((parent, word) => {
      const found = parent.commands.find((each) => each.name() === word)
      return (
        found ??
        parent
          .command(word)
          .description(groups[word] ?? '')
          .enablePositionalOptions()
      )
    }, program)
    addTo(command, operation, execute)
  }
  return program
}

/** What a terminal is for an operation. `out` prints results, `err` what else there is to say. */
export type Terminal = Pick<Run, 'withinMs' | 'interruption' | 'who' | 'recordAction'> & {
  readonly out: (line: string) => void
  readonly err: (line: string) => void
  readonly ask: (question: string) => Promise<boolean>
  readonly progress: ShowProgress
}

const printTo =
  ({ out, err }: Pick<Terminal, 'out' | 'err'>) =>
  (line: Line) =>
    typeof line === 'string' ? out(line) : err(line.err)

/** Prints what an operation has done. Returns the exit code of the process. */
const printEnd = (
  ended: E.Either<Stop, Done<unknown>>,
  { out, err }: Pick<Terminal, 'out' | 'err'>,
  isJson: boolean,
  exitCodeOfFailure: number,
  words: AnyWords,
): number => {
  if (E.isLeft(ended)) {
    const { kind, reason } = ended.left
    if (kind === 'nothing') out(reason)
    else err(kind === 'unconfirmed' ? (words.confirm?.declined ?? reason) : reason)
    return kind === 'nothing' ? 0 : exitCodeOfFailure
  }
  const { code, files = [], result } = ended.right
  const print = printTo({ out, err })
  // First what was done: a disk may be full, and an erasure cannot be taken back.
  if (isJson) out(JSON.stringify(words.json === undefined ? result : words.json(result), null, 2))
  else if (result !== undefined) words.result(result).forEach(print)
  let unwritten = 0
  for (const { path, text } of files)
    try {
      writePrivateFile(path, text)
      if (!isJson) words.written?.(path, result).forEach(print)
    } catch (error) {
      unwritten += 1
      err(`${path} cannot be written: ${codeOf(error)}.`)
    }
  return unwritten === 0 ? code : Math.max(code, exitCodeOfFailure)
}

/** Runs an operation on a terminal. With `--json` only the result is printed on `out`. */
export const runOnTerminal = async (
  operation: AnyOperation,
  resources: Resources,
  values: object,
  { json = false, dryRun = false, yes = false }: Flags | { json?: boolean; dryRun?: boolean; yes?: boolean },
  { out, err, ask, progress, ...terminal }: Terminal,
): Promise<number> => {
  const words = wordsOf(operation)
  const print = printTo({ out: json ? err : out, err })
  const say = (event: unknown) => {
    if (isProgress(event)) progress(words.step?.(event.step) ?? ['', ''], event)
    else words.event?.(event).forEach(print)
  }
  const run: Run = {
    ...terminal,
    isDry: dryRun,
    say,
    confirm: async () => yes || (await ask(words.confirm?.question ?? 'Do it?')),
  }
  const ended = await operation.performWith(resources, values, run)
  return printEnd(ended, { out, err }, json, operation.exitCodeOfFailure ?? 1, words)
}
