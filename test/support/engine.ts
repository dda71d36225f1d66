import * as E from 'fp-ts/lib/Either.js'
import { run } from '../../src/embedded/run.ts'

/** Where integration tests find their servers: `TEST_ON`, one of these or both with a comma, embedded ones by default. */
export const places = (process.env.TEST_ON ?? 'embedded').split(',')

/** What an engine for containers lacks, in a sentence; undefined where one answers. */
export const engineProblem = async (): Promise<string | undefined> => {
  const outcome = await run('docker', ['version', '--format', '{{.Server.Version}}'])
  if (E.isRight(outcome)) return undefined
  if (outcome.left.missing) return 'there is no command docker'
  return outcome.left.output.trim().split('\n').at(-1) ?? 'docker gave no reason'
}
