import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { kitFolder, kitVenv, venv } from '../verify/toolchains/python.ts'

export const folder = fileURLToPath(new URL('../../contracts/guides/examples', import.meta.url))

export type Language = 'TypeScript' | 'Python'

/** The languages to test: Python in the tests of the tools, TypeScript in all other tests. */
export const languages: ReadonlyArray<Language> = process.env.TEST_TOOLS === 'true' ? ['Python'] : ['TypeScript']

const untested = E.left({ message: 'it is tested with the tools' })
const isTested = languages.includes('Python')
const python = isTested ? await venv('guides', join(folder, 'requirements.txt')) : untested
/** Bots are made with the kit. */
const kit = isTested ? await kitVenv() : untested
for (const environment of isTested ? [python, kit] : [])
  if (E.isLeft(environment))
    console.log(`skipped: the examples in Python, for want of an environment: ${environment.left.message}`)

/** The languages whose examples can run here. */
export const canRun = (language: Language): boolean =>
  language === 'TypeScript' || (E.isRight(python) && E.isRight(kit))

const interpreterOf = (name: string) => {
  const environment = name.endsWith('bot') ? kit : python
  return E.isRight(environment) ? environment.right.python : 'python3'
}

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
  readonly kill: () => Promise<number | null>
}

/** Runs an example of the guides as a reader does, or a copy of it in another folder. */
export const runExample = (
  language: Language,
  name: string,
  env: NodeJS.ProcessEnv,
  args: ReadonlyArray<string> = [],
  from = folder,
): Example => {
  const [command, file] = language === 'Python' ? [interpreterOf(name), `${name}.py`] : [process.execPath, `${name}.ts`]
  const child = spawn(command, [join(from, file), ...args], {
    env: { ...process.env, PYTHONPATH: kitFolder, ...env },
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
    kill: () => {
      child.kill('SIGKILL')
      return ended
    },
  }
}
