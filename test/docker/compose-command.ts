import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { run } from '../../src/tools/embedded/run.ts'
import { root } from '../support/outcome.ts'
import { text } from './given-files.ts'

const answers = async (command: string, ...args: ReadonlyArray<string>) => E.isRight(await run(command, args))

/** Docker's plugin, or Debian's older program of the same name; undefined if neither is installed. */
export const composeCommand = async (): Promise<ReadonlyArray<string> | undefined> => {
  if (await answers('docker', 'compose', 'version')) return ['docker', 'compose']
  return (await answers('docker-compose', 'version')) ? ['docker-compose'] : undefined
}

const folder = join(root, 'docker')
// A command that starts everything takes minutes. A container that restarts without end must not block the tests.
const timeout = 10 * 60 * 1000

/**
 * Runs compose on docker/compose.yaml with another project name. The older program does not know `name`, so `name` is
 * left out. That program also resolves the paths of a file from stdin against the current folder.
 */
export const compose =
  ([command = '', ...first]: ReadonlyArray<string>, project: string, env: NodeJS.ProcessEnv) =>
  async (...args: ReadonlyArray<string>): Promise<string> => {
    const options = ['--file', '-', '--project-directory', folder, '--project-name', project]
    const child = spawn(command, [...first, ...options, ...args], {
      cwd: folder,
      env: { ...process.env, ...env },
      timeout,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stdin.end(text('docker/compose.yaml').replace(/^name: .*\n/m, ''))
    const [code] = await once(child, 'close')
    if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${output}`)
    return output
  }
