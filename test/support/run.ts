import { join } from 'node:path'
import { engineProblem, places } from './engine.ts'
import { check, type Outcome, oneFailed, root, runTests, skippedTests, together } from './outcome.ts'
import { type StartedServers, startServers } from './start-servers.ts'

const [, , pattern] = process.argv
const chosen = pattern ?? '\\.test\\.ts$'
const withServers = `^(?=integration/)(?=.*?(?:${chosen}))`
/** On a second place, those that would tell servers apart. */
const elsewhere = `^(?=integration/(?:kafka-|mongo-|samples|silence|two-instances))(?=.*?(?:${chosen}))`
/** They start servers and bridges of their own, and take long: others run beside them. */
const apart = `^(?=(?:faults|bench)/short)(?=.*?(?:${chosen}))`
const withoutServers = `^(?!integration/|(?:faults|bench)/short)(?=.*?(?:${chosen}))`

const running = new Set<StartedServers>()

/**
 * Runs test files on servers of their own, pattern after pattern, and those of `beside` meanwhile; servers that the environment
 * names are used instead of embedded ones.
 */
const runOn = async (
  place: string,
  patterns: ReadonlyArray<string>,
  beside?: string,
): Promise<ReadonlyArray<Outcome>> => {
  const { KAFKA_BROKERS: givenKafka, MONGODB_URL: givenMongo } = place === 'embedded' ? process.env : {}
  const servers = await startServers(place, {
    cacheDir: join(root, '.data', 'cache'),
    kafka: givenKafka === undefined,
    mongo: givenMongo === undefined,
    say: (line) => console.log(line),
  })
  running.add(servers)
  const { brokers, mongoUrl } = servers
  const env = {
    ...process.env,
    ...(brokers && { KAFKA_BROKERS: brokers.join(',') }),
    ...(mongoUrl !== undefined && { MONGODB_URL: mongoUrl }),
  }
  const meanwhile = beside === undefined ? [] : [runTests(beside, env, 'at the end')]
  const outcomes: Outcome[] = []
  for (const tests of patterns) outcomes.push(await runTests(tests, env))
  outcomes.push(...(await Promise.all(meanwhile)))
  const whole = place === 'embedded' && pattern === undefined
  outcomes.push(
    await check(
      `what the tests left on the servers (${place}) is as the published schemas say`,
      'node',
      ['test/truth/check.ts', ...(whole ? ['--all'] : [])],
      env,
    ),
  )
  await servers.stop()
  running.delete(servers)
  return outcomes
}

const all = async (): Promise<Outcome> => {
  const tools = [
    await check('types', 'tsc', ['--noEmit']),
    await check('format and lint', 'biome', ['ci', '--error-on-warnings']),
  ]
  const [place = '', ...others] = places
  if (others.length === 0 && pattern !== undefined) return together([...tools, ...(await runOn(place, [chosen]))])
  const own = await runOn(place, [withoutServers, withServers], apart)
  const [, once = oneFailed('the tests with servers')] = own
  const outcomes = [...tools, ...own]
  const problem = others.length === 0 ? undefined : await engineProblem()
  for (const other of others) {
    const skipped = other === 'containers' && problem !== undefined
    console.log(
      skipped ? `\ntest/integration on ${other} is skipped: ${problem}\n` : `\ntest/integration on ${other}\n`,
    )
    if (skipped) outcomes.push(skippedTests(once.passed + once.failed + once.skipped))
    else outcomes.push(...(await runOn(other, [elsewhere])))
  }
  return together(outcomes)
}

const tooLongMs = 27 * 60 * 1000
const interrupted = new Promise<Outcome>((resolve) => {
  setTimeout(() => {
    resolve(oneFailed(`the tests have not ended after ${tooLongMs / 60_000} minutes`))
  }, tooLongMs)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(oneFailed(signal)))
})

const { passed, failed, skipped, failures } = await Promise.race([all(), interrupted]).catch((error: Error) =>
  oneFailed(error.message),
)
for (const servers of running) await servers.stop()
for (const failure of failures) console.log(`\n${failure}\n`)
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exit(failed === 0 ? 0 : 1)
