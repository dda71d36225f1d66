import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

export const root = fileURLToPath(new URL('../..', import.meta.url))
const bin = (name: string) => join(root, 'node_modules', '.bin', name)

export type Outcome = { readonly passed: number; readonly failed: number; readonly skipped: number }

export const oneFailed: Outcome = { passed: 0, failed: 1, skipped: 0 }

export const together = (outcomes: ReadonlyArray<Outcome>): Outcome => {
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((total, outcome) => total + of(outcome), 0)
  return {
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
    skipped: sum(({ skipped }) => skipped),
  }
}

/** Whether what is printed is shown as it comes, or as a whole at the end, beside others. */
type Shown = 'at once' | 'at the end'

const run = (
  command: string,
  args: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv = process.env,
  shown: Shown = 'at once',
) =>
  new Promise<{ readonly code: number; readonly output: string }>((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (shown === 'at once') process.stdout.write(chunk)
    })
    child.on('error', reject)
    child.on('close', (code) => {
      if (shown === 'at the end') process.stdout.write(output)
      resolve({ code: code ?? 1, output })
    })
  })

/** A program of node_modules that ends with 0 when all is well, counted as one test. */
export const check = async (
  name: string,
  tool: string,
  args: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Outcome> => {
  const { code } = await run(bin(tool), args, env)
  console.log(`${code === 0 ? '✓' : '✘'} ${name}`)
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 }
}

/** What uvu counted. It hides a throwing hook, and ends well when a file dies early: both are failures here. */
const counted = (output: string, code: number): Outcome => {
  const plain = stripVTControlCharacters(output)
  const number = (name: string) => Number(new RegExp(`^\\s*${name}:\\s+(\\d+)`, 'm').exec(plain)?.[1] ?? Number.NaN)
  const [total, passed, skipped] = [number('Total'), number('Passed'), number('Skipped')]
  if (![total, passed, skipped].every(Number.isInteger)) return oneFailed
  const failed = total - passed
  return { passed, skipped, failed: code !== 0 && failed === 0 ? 1 : failed }
}

/** Runs the test files whose path below test/ the pattern matches. */
export const runTests = async (pattern: string, env: NodeJS.ProcessEnv, shown?: Shown): Promise<Outcome> => {
  const args = [join(root, 'node_modules/uvu/bin.js'), 'test', pattern]
  const { code, output } = await run(process.execPath, args, env, shown)
  return counted(output, code)
}
