import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

export const root = fileURLToPath(new URL('../..', import.meta.url))
const bin = (name: string) => join(root, 'node_modules', '.bin', name)

export type Outcome = {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** The printed report of each failure. It is printed again at the very end, because often only the end is kept. */
  readonly failures: ReadonlyArray<string>
  /** How long the tests of each file ran, with the start of what they need. */
  readonly files: ReadonlyArray<{ readonly file: string; readonly ms: number }>
}

const nothing: Outcome = { passed: 0, failed: 0, skipped: 0, failures: [], files: [] }

/** One failed test, with its reason. */
export const oneFailed = (why: string): Outcome => ({ ...nothing, failed: 1, failures: [`   FAIL  ${why}`] })

/** Tests that were not run. */
export const skippedTests = (skipped: number): Outcome => ({ ...nothing, skipped })

export const together = (outcomes: ReadonlyArray<Outcome>): Outcome => {
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((total, outcome) => total + of(outcome), 0)
  return {
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
    skipped: sum(({ skipped }) => skipped),
    failures: outcomes.flatMap(({ failures }) => failures),
    files: outcomes.flatMap(({ files }) => files),
  }
}

/** When output is shown: as it arrives, at the end if other tests run at the same time, or never. */
type Shown = 'at once' | 'at the end' | 'not'

/** How a process ended: its code, or the signal that ended it. */
type End = number | NodeJS.Signals

const running = new Set<ChildProcess>()
// Each child has its own process group. So its own children end with it when the tests are interrupted.
process.once('exit', () => {
  for (const { pid } of running) if (pid !== undefined) process.kill(-pid, 'SIGKILL')
})

const run = (
  command: string,
  args: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv = process.env,
  shown: Shown = 'at once',
  onOutput = (_: string, _child: ChildProcess) => {},
) =>
  new Promise<{ readonly end: End; readonly output: string; readonly complaints: string }>((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    running.add(child)
    onOutput('', child)
    let output = ''
    let complaints = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      onOutput(chunk.toString(), child)
      if (shown === 'at once') process.stdout.write(chunk)
    })
    child.stderr.on('data', (chunk: Buffer) => {
      complaints += chunk.toString()
      if (shown !== 'not') process.stderr.write(chunk)
    })
    child.on('error', reject)
    child.on('exit', () => running.delete(child))
    child.on('close', (code, signal) => {
      if (shown === 'at the end') process.stdout.write(output.replace(/\n {2}Total:[\s\S]*? {2}Duration:.*\n/, ''))
      resolve({ end: signal ?? code ?? 1, output, complaints })
    })
  })

/** Runs a program of node_modules and counts it as one test, which passes if the exit code is 0. */
export const check = async (
  name: string,
  tool: string,
  args: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Outcome> => {
  const { end } = await run(bin(tool), args, env)
  console.log(`${end === 0 ? '✓' : '✘'} ${name}`)
  return end === 0 ? { ...nothing, passed: 1 } : oneFailed(name)
}

/** uvu's report of each failure: from its first line to the next suite, file or sum. */
const failuresIn = (plain: string): ReadonlyArray<string> =>
  plain
    .split(/^(?= *FAIL {2})/m)
    .slice(1)
    .map((report) => report.split(/\n(?=\S*\.test\.ts\n|.* \(\d+ \/ \d+\)\n| {2}Total:)/)[0]?.trimEnd() ?? '')

const tail = (text: string) => text.trimEnd().split('\n').slice(-20).join('\n')

/** Reads uvu's counts. uvu hides a throwing hook, and exits with 0 when a file ends early. Here both are failures. */
export const counted = (output: string, end: End, complaints = ''): Outcome => {
  const plain = stripVTControlCharacters(output)
  const number = (name: string) => Number(new RegExp(`^\\s*${name}:\\s+(\\d+)`, 'm').exec(plain)?.[1] ?? Number.NaN)
  const [total, passed, skipped] = [number('Total'), number('Passed'), number('Skipped')]
  if (![total, passed, skipped].every(Number.isInteger))
    return oneFailed(
      `uvu ended with ${end} before it printed its sum. Last output:\n${tail(plain)}\n${tail(stripVTControlCharacters(complaints))}`,
    )
  if (end !== 0 && total === passed)
    return { ...oneFailed(`uvu ended with ${end} although all passed`), passed, skipped }
  return { ...nothing, passed, skipped, failed: total - passed, failures: failuresIn(plain) }
}

/**
 * Measures the time of each file from uvu's output: from the file's name to the next file's name, or to the end. Before
 * the first name, uvu has loaded all files: what they start at their top belongs to none of several files.
 */
export const stopwatch = (now: () => number) => {
  const began = now()
  const starts: Array<{ readonly file: string; readonly at: number }> = []
  return {
    onOutput: (text: string) => {
      for (const [file] of stripVTControlCharacters(text).matchAll(/^\S+\.test\.ts$/gm))
        starts.push({ file, at: now() })
    },
    files: (): Outcome['files'] => {
      const [first, ...more] = starts
      if (first === undefined) return []
      if (more.length === 0) return [{ file: first.file, ms: now() - began }]
      return [
        { file: `loading of ${first.file} and ${more.length} others`, ms: first.at - began },
        ...starts.map(({ file, at }, i) => ({ file, ms: (starts[i + 1]?.at ?? now()) - at })),
      ]
    },
  }
}

/** The limit for all tests, and the limit for the process to end after uvu prints its sum, in milliseconds. */
export type Limits = { readonly allMs: number; readonly endMs: number }
const usualLimits: Limits = { allMs: 20 * 60_000, endMs: 30_000 }
const toReportMs = 5_000

/** Ends tests that exceed their limits. Before that, they print what they have left open (`left-open.ts`). */
const watchdog = ({ allMs, endMs }: Limits) => {
  let ended: string | undefined
  let timer: NodeJS.Timeout | undefined
  const endAfter = (child: ChildProcess, ms: number, why: string) => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      ended = why
      child.kill('SIGUSR2')
      timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), toReportMs)
    }, ms)
  }
  return {
    onOutput: (text: string, child: ChildProcess) => {
      if (timer === undefined) endAfter(child, allMs, `have not ended after ${allMs / 1000} s`)
      if (/^ {2}Duration:/m.test(stripVTControlCharacters(text)))
        endAfter(child, endMs, `have ended, but their process was still running ${endMs / 1000} s later`)
    },
    /** Why the watchdog ended the tests; undefined if it did not. */
    stop: () => {
      clearTimeout(timer)
      return ended
    },
  }
}

/** A pattern for exactly these test files, by their paths below test/. */
export const testsOf = (files: ReadonlyArray<string>) =>
  `^(?:${files.map((file) => file.replaceAll('.', '\\.')).join('|')})$`

/** Runs the test files whose path below test/ the pattern matches. */
export const runTests = async (
  pattern: string,
  env: NodeJS.ProcessEnv,
  shown?: Shown,
  limits = usualLimits,
): Promise<Outcome> => {
  const preloaded = ['--import', join(root, 'test/support/left-open.ts')]
  const args = [...preloaded, join(root, 'node_modules/uvu/bin.js'), 'test', pattern]
  const { onOutput, files } = stopwatch(() => performance.now())
  const { onOutput: watch, stop } = watchdog(limits)
  // As the launcher sets it. Without it each process compiles the same sources.
  const cache = { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile') }
  const { end, output, complaints } = await run(process.execPath, args, { ...cache, ...env }, shown, (text, child) => {
    onOutput(text)
    watch(text, child)
  })
  const why = stop()
  const outcome = counted(output, why === undefined ? end : 0, complaints)
  const stuck = why === undefined ? [] : [oneFailed(`the tests of ${pattern} ${why}\n${tail(complaints)}`)]
  return { ...together([outcome, ...stuck]), files: files() }
}
