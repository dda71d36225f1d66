import { engineProblem, places } from './engine.ts'
import { finish, withServers } from './finish.ts'
import { check, type Outcome, oneFailed, runTests, skippedTests, together } from './outcome.ts'

const [, , pattern] = process.argv
const chosen = pattern ?? '\\.test\\.ts$'
const integration = `^(?=integration/)(?=.*?(?:${chosen}))`
/** On a second place, those that would tell servers apart. */
const elsewhere = `^(?=integration/(?:kafka-|mongo-|samples|silence|two-instances))(?=.*?(?:${chosen}))`
/** They start servers and bridges of their own, and take long: others run beside them. */
const apart = `^(?=(?:faults|bench)/short)(?=.*?(?:${chosen}))`
const unit = `^(?!integration/|tools/|package/|(?:faults|bench)/short)(?=.*?(?:${chosen}))`

/** Runs test files pattern after pattern, and those of `beside` meanwhile. */
const runOn = (place: string, patterns: ReadonlyArray<string>, beside?: string): Promise<ReadonlyArray<Outcome>> =>
  withServers(place, async (env) => {
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
    return outcomes
  })

const all = async (): Promise<Outcome> => {
  const tools = [
    await check('types', 'tsc', ['--noEmit']),
    await check('format and lint', 'biome', ['ci', '--error-on-warnings']),
  ]
  const [place = '', ...others] = places
  if (others.length === 0 && pattern !== undefined) return together([...tools, ...(await runOn(place, [chosen]))])
  const own = await runOn(place, [unit, integration], apart)
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

await finish(all, 27)
