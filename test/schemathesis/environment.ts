import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { cacheDir } from '../support/servers.ts'

const requirements = fileURLToPath(new URL('requirements.txt', import.meta.url))
const patienceMs = 180_000

const run = (command: string, ...args: ReadonlyArray<string>): E.Either<string, void> => {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', timeout: patienceMs })
  if (status === 0) return E.right(undefined)
  const said = `${stdout ?? ''}\n${stderr ?? ''}`.trim().split('\n').at(-1)
  return E.left(error?.message ?? said ?? `${command} ended with ${status}`)
}

/** Where schemathesis is, in an environment of its own that is made once for these requirements; Left says why it cannot be made. */
export const schemathesis = (): E.Either<string, string> => {
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 8)
  const dir = resolve(cacheDir, `schemathesis-${digest}`)
  const [command, whole] = [join(dir, 'bin/schemathesis'), join(dir, 'whole')]
  if (existsSync(whole)) return E.right(command)
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(resolve(cacheDir), { recursive: true })
  const pip = ['install', '--quiet', '--disable-pip-version-check', '--require-hashes', '--only-binary=:all:']
  const made = E.chain(() => run(join(dir, 'bin/pip'), ...pip, '-r', requirements))(run('python3', '-m', 'venv', dir))
  if (E.isLeft(made)) return made
  writeFileSync(whole, '')
  return E.right(command)
}
