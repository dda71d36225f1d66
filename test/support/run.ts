import { engineProblem, places } from './engine.ts'
import { finish, withServers } from './finish.ts'
import { type Job, jobsOf, runJobs } from './jobs.ts'
import { check, type Outcome, oneFailed, skippedTests, together } from './outcome.ts'

const [, , pattern] = process.argv
const wanted = pattern === undefined ? '(?!verify/(?:toolchains/|(?:faults|bench)/short))' : ''
/** On a second place, only the tests whose result may depend on the servers run: not those that start a broker of their own. */
const elsewhere = 'bridge/integration/(?:kafka-(?!acl|policy)|mongo-|samples|silence|two-instances)'

/** Runs the jobs on the same servers. */
const runOn = (place: string, jobs: ReadonlyArray<Job>): Promise<ReadonlyArray<Outcome>> =>
  withServers(place, async (env) => {
    const outcomes = await runJobs(jobs, env)
    const whole = place === 'embedded' && pattern === undefined
    return [
      ...outcomes,
      await check(
        `records and documents on the servers (${place}) match the published schemas`,
        'node',
        ['test/contracts/truth/check.ts', ...(whole ? ['--all'] : [])],
        env,
      ),
    ]
  })

const all = async (): Promise<Outcome> => {
  const jobs = jobsOf(wanted, pattern)
  if (jobs.length === 0) return oneFailed(`no test file matches ${pattern}`)
  // These run in parallel with the tests, whose servers take a while to start.
  const tools = Promise.all([
    check('types', 'tsc', ['--noEmit']),
    check('types of the browser code', 'tsc', ['--noEmit', '-p', 'src/console/browser']),
    check('format and lint', 'biome', ['ci', '--error-on-warnings']),
  ])
  const [place = '', ...others] = places
  const outcomes = [...(await runOn(place, jobs)), ...(await tools)]
  const problem = others.length === 0 ? undefined : await engineProblem()
  for (const other of others) {
    const again = jobsOf(elsewhere, pattern)
    const skipped = other === 'containers' && problem !== undefined
    console.log(
      skipped
        ? `\ntest/bridge/integration on ${other} is skipped: ${problem}\n`
        : `\ntest/bridge/integration on ${other}\n`,
    )
    if (skipped) outcomes.push(skippedTests(again.length))
    else outcomes.push(...(await runOn(other, again)))
  }
  return together(outcomes)
}

await finish(all, 27)
