import * as E from 'fp-ts/lib/Either.js'
import { run } from '../../src/tools/embedded/run.ts'

/** The servers of integration tests, from `TEST_ON`: embedded (default), containers, or both with a comma. */
export const places = (process.env.TEST_ON ?? 'embedded').split(',')

/** Why no container engine responds, in one sentence; undefined if one responds. */
export const engineProblem = async (): Promise<string | undefined> => {
  const outcome = await run('docker', ['version', '--format', '{{.Server.Version}}'])
  if (E.isRight(outcome)) return undefined
  if (outcome.left.missing) return 'there is no command docker'
  return outcome.left.output.trim().split('\n').at(-1) ?? 'docker gave no reason'
}
