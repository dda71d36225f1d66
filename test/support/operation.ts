import { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { addOperations, runOnTerminal, type Terminal } from '../../src/app/command-line.ts'
import { operations } from '../../src/app/operations.ts'
import type { Resources } from '../../src/bridge/operations/operation.ts'

type Ran = {
  readonly code: number | undefined
  readonly out: ReadonlyArray<string>
  readonly err: ReadonlyArray<string>
}

/** Runs a command of an operation in this process, with these resources. Nobody answers its questions. */
export const runOperation = async (
  args: ReadonlyArray<string>,
  resources: object,
  terminal: Partial<Terminal> = {},
): Promise<Ran> => {
  const [out, err]: [string[], string[]] = [[], []]
  let code: number | undefined
  const program = addOperations(new Command(), operations, async (operation, values, flags) => {
    code = await runOnTerminal(operation, resources as Resources, values, flags, {
      out: (line) => void out.push(line),
      err: (line) => void err.push(line),
      ask: async () => false,
      withinMs: 30_000,
      progress: () => {},
      interruption: () => new AbortController().signal,
      who: 'operator@test',
      recordAction: async () => E.right(undefined),
      ...terminal,
    })
  })
  await program.parseAsync(args, { from: 'user' })
  return { code, out, err }
}
