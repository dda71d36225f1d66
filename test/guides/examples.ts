import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { venv } from '../tools/python.ts'

export const folder = fileURLToPath(new URL('../../contracts/guides/examples', import.meta.url))

export type Language = 'TypeScript' | 'Python'

/** The languages to test: Python in the tests of the tools, TypeScript in all other tests. */
export const languages: ReadonlyArray<Language> = process.env.TEST_TOOLS === 'true' ? ['Python'] : ['TypeScript']

const python = languages.includes('Python')
  ? await venv('guides', join(folder, 'requirements.txt'))
  : E.left({ message: 'it is tested with the tools' })
if (E.isLeft(python) && languages.includes('Python'))
  console.log(`skipped: the examples in Python, for want of an environment: ${python.left.message}`)

/** The languages whose examples can run here. */
export const canRun = (language: Language): boolean => language === 'TypeScript' || E.isRight(python)

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export type Example = {
  /** What the example has printed so far. */
  readonly out: () => string
  readonly err: () => string
  /** Its exit code. */
  readonly ended: Promise<number | null>
  /** Ends it as Ctrl-C does. */
  readonly stop: () => Promise<number | null>
}

/** Runs an example of the guides as a reader does, or a copy of it in another folder. */
export const runExample = (
  language: Language,
  name: string,
  env: NodeJS.ProcessEnv,
  args: ReadonlyArray<string> = [],
  from = folder,
): Example => {
  const [command, file] =
    language === 'Python'
      ? [E.isRight(python) ? python.right.python : 'python3', `${name}.py`]
      : [process.execPath, `${name}.ts`]
  const child = spawn(command, [join(from, file), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const text = { out: '', err: '' }
  child.stdout.on('data', (chunk: Buffer) => (text.out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (text.err += chunk.toString()))
  const ended = once(child, 'close').then(([code]) => {
    running.delete(child)
    return code as number | null
  })
  return {
    out: () => text.out,
    err: () => text.err,
    ended,
    stop: () => {
      child.kill('SIGINT')
      return ended
    },
  }
}
