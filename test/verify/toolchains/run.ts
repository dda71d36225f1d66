// The slow tests: checks that need foreign toolchains (skipped if a toolchain or a registry is missing), and short runs
// of the faults and the benchmark.
import { availableParallelism } from 'node:os'
import { limitConcurrency } from '../../../src/bridge/shared/semaphore.ts'
import { finish, withServers } from '../../support/finish.ts'
import { type Job, jobsOf } from '../../support/jobs.ts'
import { type Outcome, runTests, testsOf, together } from '../../support/outcome.ts'

const [, , pattern] = process.argv
const checks = '(?:verify/(?:toolchains/|bench/short)|guides/(?:bots|downstream))'
const faults = 'verify/faults/short'
/** Only one process at a time may install packages of Debian, and only one may pack the project. */
const oneByOne = [/toolchains\/(?:alerts|console-|haproxy|prometheus)/, /toolchains\/package\//]

/** The longest jobs are first. */
const jobs = (): ReadonlyArray<Job> => {
  const files = jobsOf(checks, pattern).flat()
  const others = files.filter((file) => !oneByOne.some((some) => some.test(file)))
  const inOrder = oneByOne.map((some) => files.filter((file) => some.test(file)))
  return [...inOrder, ...others.map((file) => [file])].filter((job) => job.length > 0)
}

/** One process more than cores, because each waits much of its time. */
const inTurn = limitConcurrency(availableParallelism() + 1)
const minutes = 60_000
const limits = { allMs: 25 * minutes, endMs: 30_000 }

await finish(
  () =>
    withServers('embedded', async (env) => {
      const all = jobs()
      const run = (job: Job): Promise<Outcome> =>
        runTests(testsOf(job), { ...env, TEST_TOOLS: 'true' }, all.length > 1 ? 'at the end' : 'at once', limits)
      const outcomes = await Promise.all(all.map((job) => inTurn(() => run(job))))
      // The faults have the machine for themselves.
      const last = await Promise.all(jobsOf(faults, pattern).map(run))
      return together([...outcomes, ...last])
    }),
  40,
)
