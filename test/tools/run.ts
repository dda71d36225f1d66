// The slow tests: checks that need foreign toolchains (skipped if a toolchain or a registry is missing), and short runs
// of the faults and the benchmark.
import { finish, withServers } from '../support/finish.ts'
import { type Outcome, runTests, testFiles, together } from '../support/outcome.ts'

const [, , pattern = ''] = process.argv
const checks = '(?:(?:tools|package)/|bench/short|guides/(?:bots|downstream))'
const faults = 'faults/short'

await finish(
  () =>
    withServers('embedded', async (env) => {
      const outcomes: Outcome[] = []
      for (const files of pattern === '' ? [checks, faults] : [`(?:${checks}|${faults})`])
        outcomes.push(await runTests(testFiles(files, pattern), { ...env, TEST_TOOLS: 'true' }))
      return together(outcomes)
    }),
  40,
)
