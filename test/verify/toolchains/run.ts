// The slow tests: checks that need foreign toolchains (skipped if a toolchain or a registry is missing), and short runs
// of the faults and the benchmark.
import { finish, withServers } from '../../support/finish.ts'
import { type Outcome, runTests, testFiles, together } from '../../support/outcome.ts'

const [, , pattern = ''] = process.argv
/** All that installs Debian's packages is in one of the two: only one process at a time may do so. */
const debian = 'verify/toolchains/(?:alerts|console-|haproxy|prometheus)'
const checks = [
  `(?:${debian}|verify/bench/short|verify/toolchains/package/|guides/(?:bots|downstream))`,
  `(?!${debian}|verify/toolchains/package/)verify/toolchains/`,
]
const faults = 'verify/faults/short'
const minutes = 60_000
const limits = { allMs: 25 * minutes, endMs: 30_000 }

await finish(
  () =>
    withServers('embedded', async (env) => {
      const run = (files: string, shown: 'at once' | 'at the end' = 'at once') =>
        runTests(testFiles(files, pattern), { ...env, TEST_TOOLS: 'true' }, shown, limits)
      if (pattern !== '') return run(`(?:${[...checks, faults].join('|')})`)
      // Two processes, because each spends much of its time waiting. The faults have the machine for themselves.
      const outcomes: ReadonlyArray<Outcome> = await Promise.all(
        checks.map((files, i) => run(files, i === 0 ? 'at once' : 'at the end')),
      )
      return together([...outcomes, await run(faults)])
    }),
  40,
)
