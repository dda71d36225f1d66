// The checks that need foreign toolchains, skipped if a toolchain or a registry is missing, and the benchmark in short: they are slow.
import { finish, withServers } from '../support/finish.ts'
import { runTests } from '../support/outcome.ts'

const [, , pattern = ''] = process.argv
const chosen = `^(?=(?:tools|package)/|bench/short|guides/(?:bots|downstream)).*(?:${pattern}).*\\.test\\.ts$`

await finish(() => withServers('embedded', (env) => runTests(chosen, { ...env, TEST_TOOLS: 'true' })), 25)
