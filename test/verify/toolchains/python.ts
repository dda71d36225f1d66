import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { fetchOnce } from '../../../src/tools/embedded/download.ts'
import { digestOf } from '../../../src/tools/embedded/pins.ts'
import { type Problem, problem } from '../../../src/tools/embedded/problem.ts'
import { run } from '../../../src/tools/embedded/run.ts'
import { cacheDir } from '../../support/servers.ts'

export type Python = {
  /** The environment's interpreter. */
  readonly python: string
  /** The path of a package's command. Run it as `python script('name')`: its first line names a missing interpreter. */
  readonly script: (name: string) => string
}

/** The last line of the output that has a reason. pip and Python print their reasons at the end. */
const reasonIn = (output: string) => {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  return lines.findLast((line) => line.startsWith('ERROR:')) ?? lines.at(-1) ?? 'it gave no reason'
}

/** Debian has `ensurepip` in a separate package, so the machine's pip installs into the environment. */
const install = async (directory: string, requirements: string): Promise<E.Either<Problem, unknown>> => {
  const python = join(directory, 'bin', 'python')
  const pip = ['-m', 'pip', '--no-color', '--python', python, '--disable-pip-version-check', 'install', '--no-input']
  const steps = [
    ['-m', 'venv', '--without-pip', directory],
    [...pip, '--timeout=15', '--retries=1', '--only-binary=:all:', '--requirement', requirements],
  ]
  for (const step of steps) {
    const done = await run('python3', step, { silenceMs: 120_000 })
    if (E.isLeft(done)) return problem(reasonIn(done.left.output))
  }
  return E.right(undefined)
}

/**
 * A Python environment with the packages that a file pins. It is created once below `.data/cache` and used again until
 * the file or the machine's Python changes. Left says why it cannot be created (no Python, no pip, PyPI not reachable).
 * Tests that need it are then skipped.
 */
export const venv = async (name: string, requirementsFile: string): Promise<E.Either<Problem, Python>> => {
  const version = await run('python3', ['-c', 'import platform; print(platform.python_version(), end="")'])
  if (E.isLeft(version)) return problem('python3 is missing')
  const requirements = resolve(requirementsFile)
  const made = await fetchOnce({
    target: resolve(cacheDir, `python-${version.right}-${name}-${await digestOf(requirements)}`),
    what: `Python packages (${name}) from PyPI with pip`,
    say: (line) => console.log(line),
    fetch: (directory) => install(directory, requirements),
  })
  return E.map((directory: string) => ({
    python: join(directory, 'bin', 'python'),
    script: (command: string) => join(directory, 'bin', command),
  }))(made)
}

/** The kit for bots in Python, as it is in the clone. */
export const kitFolder = fileURLToPath(new URL('../../../contracts/bot/python', import.meta.url))

/**
 * An environment with what the kit needs, and what its tests need. The kit is not in it: `PYTHONPATH` says where it is.
 */
export const kitVenv = (): Promise<E.Either<Problem, Python>> =>
  venv('bot-kit', fileURLToPath(new URL('bot-kit-requirements.txt', import.meta.url)))
