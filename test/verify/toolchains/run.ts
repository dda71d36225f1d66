// The slow tests: checks that need foreign toolchains (skipped if a toolchain or a registry is missing), and short runs
// of the faults and the benchmark.
import { finish, withServers } from '../../support/finish.ts'
import { type Job, jobsOf, runJobs } from '../../support/jobs.ts'
import { oneFailed, together } from '../../support/outcome.ts'

const [, , pattern] = process.argv
const checks = '(?:verify/(?:toolchains/|bench/short)|guides/(?:bots|downstream))'
const faults = 'verify/faults/short'
/** Only one process at a time may install packages of Debian, and only one may pack the project. */
const oneByOne = [/toolchains\/(?:alerts|console-|haproxy|prometheus)/, /toolchains\/package\//]

/** What must run one by one is first: it takes longest. */
const jobs = (): ReadonlyArray<Job> => {
  const files = jobsOf(checks, pattern).flat()
  const others = files.filter((file) => !oneByOne.some((some) => some.test(file)))
  const inOrder = oneByOne.map((some) => files.filter((file) => some.test(file)))
  return [...inOrder, ...others.map((file) => [file])].filter((job) => job.length > 0)
}

const minutes = 60_000
const limits = { allMs: 25 * minutes, endMs: 30_000 }

await finish(async () => {
  const [all, last] = [jobs(), jobsOf(faults, pattern)]
  if (all.length + last.length === 0) return oneFailed(`no test file matches ${pattern}`)
  return withServers('embedded', async (env) => {
    const own = { ...env, TEST_TOOLS: 'true' }
    const outcomes = await runJobs(all, own, limits)
    // The faults have the machine for themselves.
    return together([...outcomes, ...(await runJobs(last, own, limits))])
  })
}, 40)
