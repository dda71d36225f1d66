import { engineProblem, places } from './engine.ts'
import { finish, withServers } from './finish.ts'
import { check, type Outcome, runTests, skippedTests, testFiles, together } from './outcome.ts'

const [, , pattern] = process.argv
/** Two halves that run in parallel, because each spends most of its time waiting. */
const integration = ['[a-m]', '[^a-m]'].map((half) => testFiles(`integration/${half}`, pattern))
/** On a second place, only the tests whose result may depend on the servers run. */
const elsewhere = testFiles('integration/(?:kafka-|mongo-|samples|silence|two-instances)', pattern)
const unit = testFiles('(?!integration/|tools/|package/|(?:faults|bench)/short)', pattern)

/** Runs the files of each pattern in a process, all in parallel. They spend most of their time waiting for servers. */
const runOn = (place: string, ...patterns: ReadonlyArray<string>): Promise<ReadonlyArray<Outcome>> =>
  withServers(place, async (env) => {
    const outcomes = await Promise.all(
      patterns.map((tests, i) => runTests(tests, env, i === 0 ? 'at once' : 'at the end')),
    )
    const whole = place === 'embedded' && pattern === undefined
    return [
      ...outcomes,
      await check(
        `records and documents on the servers (${place}) match the published schemas`,
        'node',
        ['test/truth/check.ts', ...(whole ? ['--all'] : [])],
        env,
      ),
    ]
  })

const all = async (): Promise<Outcome> => {
  // These run in parallel with the tests, whose servers take a while to start.
  const tools = Promise.all([
    check('types', 'tsc', ['--noEmit']),
    check('types of the browser code', 'tsc', ['--noEmit', '-p', 'src/console/browser']),
    check('format and lint', 'biome', ['ci', '--error-on-warnings']),
  ])
  const [place = '', ...others] = places
  if (others.length === 0 && pattern !== undefined) {
    const own = await runOn(place, testFiles('', pattern))
    return together([...(await tools), ...own])
  }
  const own = await runOn(place, ...integration, unit)
  const once = together(own.slice(0, integration.length))
  const outcomes = [...(await tools), ...own]
  const problem = others.length === 0 ? undefined : await engineProblem()
  for (const other of others) {
    const skipped = other === 'containers' && problem !== undefined
    console.log(
      skipped ? `\ntest/integration on ${other} is skipped: ${problem}\n` : `\ntest/integration on ${other}\n`,
    )
    if (skipped) outcomes.push(skippedTests(once.passed + once.failed + once.skipped))
    else outcomes.push(...(await runOn(other, elsewhere)))
  }
  return together(outcomes)
}

await finish(all, 27)
