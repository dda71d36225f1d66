import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { type Outcome, oneFailed, root } from './outcome.ts'
import { withAdmin } from './plain-consumer.ts'
import { type StartedServers, startServers } from './start-servers.ts'

const running = new Set<StartedServers>()

// All temporary folders of the tests are in this one, so that none remains, even if a test is killed.
const temporary = mkdtempSync(join(tmpdir(), 'livechat-tests-'))
process.env.TMPDIR = temporary
process.once('exit', () => rmSync(temporary, { recursive: true, force: true }))

/** A new broker has no coordinator of groups until somebody has asked for one, and the answer may take long then. */
const groupsAreReady = (brokers: ReadonlyArray<string>): Promise<unknown> =>
  eventually('the coordinator of groups', () =>
    withAdmin(brokers, (admin) => admin.fetchOffsets({ groupId: 'nobody' })).catch(() => undefined),
  )

/** Runs the work with its own servers, named in its environment. Embedded servers that it names already are reused. */
export const withServers = async <A>(place: string, work: (env: NodeJS.ProcessEnv) => Promise<A>): Promise<A> => {
  const { KAFKA_BROKERS: givenKafka, MONGODB_URL: givenMongo } = place === 'embedded' ? process.env : {}
  const servers = await startServers(place, {
    cacheDir: join(root, '.data', 'cache'),
    kafka: givenKafka === undefined,
    mongo: givenMongo === undefined,
    say: (line) => console.log(line),
  })
  running.add(servers)
  const { brokers, mongoUrl } = servers
  if (brokers !== undefined) await groupsAreReady(brokers)
  const done = await work({
    ...process.env,
    ...(brokers && { KAFKA_BROKERS: brokers.join(',') }),
    ...(mongoUrl !== undefined && { MONGODB_URL: mongoUrl }),
  })
  await servers.stop()
  running.delete(servers)
  return done
}

/** Prints the sum of all tests in the last line and ends the process, also after a signal or a timeout. */
export const finish = async (all: () => Promise<Outcome>, minutes: number): Promise<never> => {
  const interrupted = new Promise<Outcome>((resolve) => {
    setTimeout(() => resolve(oneFailed(`the tests have not ended after ${minutes} minutes`)), minutes * 60_000)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(oneFailed(signal)))
  })
  const { passed, failed, skipped, failures, files } = await Promise.race([all(), interrupted]).catch((error: Error) =>
    oneFailed(error.message),
  )
  for (const servers of running) await servers.stop()
  console.log('\nThe slowest files:')
  for (const { file, ms } of files.toSorted((a, b) => b.ms - a.ms).slice(0, 10))
    console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${file}`)
  for (const failure of failures) console.log(`\n${failure}\n`)
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  process.exit(failed === 0 ? 0 : 1)
}
