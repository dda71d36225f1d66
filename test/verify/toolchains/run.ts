// The slow tests: checks that need foreign toolchains (skipped if a toolchain or a registry is missing), and short runs
// of the faults and the benchmark.
import { finish, withServers } from '../../support/finish.ts'
import { type Job, jobsOf, longestFirst, runJobs } from '../../support/jobs.ts'
import { oneFailed, together } from '../../support/outcome.ts'

const [, , pattern] = process.argv
const checks = '(?:verify/(?:toolchains/|(?:faults|bench)/short)|guides/(?:bots|downstream))'
/** Only one process at a time may install packages of Debian, and one builds a release for all. */
const oneByOne = [/toolchains\/(?:alerts|console-|haproxy|prometheus)/, /toolchains\/(?:package\/|contracts-on-node)/]

const jobs = (): ReadonlyArray<Job> => {
  const files = jobsOf(checks, pattern).flat()
  const others = files.filter((file) => !oneByOne.some((some) => some.test(file)))
  const inOrder = oneByOne.map((some) => files.filter((file) => some.test(file)))
  return longestFirst([...inOrder, ...others.map((file) => [file])].filter((job) => job.length > 0))
}

const minutes = 60_000
const limits = { allMs: 25 * minutes, endMs: 30_000 }

await finish(async () => {
  const all = jobs()
  if (all.length === 0) return oneFailed(`no test file matches ${pattern}`)
  return withServers('embedded', async (env) => together(await runJobs(all, { ...env, TEST_TOOLS: 'true' }, limits)))
}, 40)
