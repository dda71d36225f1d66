import { spawn } from 'node:child_process'
import * as E from 'fp-ts/lib/Either.js'

type CommandFailure = {
  readonly missing: boolean
  readonly output: string
}

type Options = {
  readonly cwd?: string
  /** Kills the command if it prints nothing for so many milliseconds. */
  readonly silenceMs?: number
  readonly onOutput?: (text: string) => void
}

/** Runs a command to its end. Resolves with its output, or with `missing` if the command does not exist. */
export const run = (
  command: string,
  args: ReadonlyArray<string>,
  { cwd, silenceMs = 600_000, onOutput = () => {} }: Options = {},
): Promise<E.Either<CommandFailure, string>> =>
  new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const silence = setTimeout(() => child.kill('SIGKILL'), silenceMs)
    let output = ''
    const end = (outcome: E.Either<CommandFailure, string>) => {
      clearTimeout(silence)
      resolve(outcome)
    }
    const take = (text: string) => {
      silence.refresh()
      output += text
      onOutput(text)
    }
    child.stdout.setEncoding('utf8').on('data', take)
    child.stderr.setEncoding('utf8').on('data', take)
    child.on('error', () => end(E.left({ missing: true, output: '' })))
    child.on('close', (code) => end(code === 0 ? E.right(output) : E.left({ missing: false, output })))
  })
