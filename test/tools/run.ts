// What is slow: the checks that need foreign toolchains, skipped if a toolchain or a registry is missing; faults and the benchmark in short.
import { finish, withServers } from '../support/finish.ts'
import { runTests, together } from '../support/outcome.ts'

const [, , pattern = ''] = process.argv
const matching = (files: string) => `^(?=${files}).*(?:${pattern}).*\\.test\\.ts$`
const [checks, faults] = ['(?:(?:tools|package)/|bench/short|guides/(?:bots|downstream))', 'faults/short']

await finish(
  () =>
    withServers('embedded', async (env) => {
      const run = (files: string, shown: 'at once' | 'at the end') =>
        runTests(matching(files), { ...env, TEST_TOOLS: 'true' }, shown)
      if (pattern !== '') return run(`(?:${checks}|${faults})`, 'at once')
      return together(await Promise.all([run(checks, 'at once'), run(faults, 'at the end')]))
    }),
  30,
)
