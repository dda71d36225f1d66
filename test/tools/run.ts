// The checks that need foreign toolchains. They are slow, and skipped where a toolchain or a registry is missing.
import { finish, withServers } from '../support/finish.ts'
import { runTests } from '../support/outcome.ts'

const [, , pattern = ''] = process.argv
const chosen = `^(?=(?:tools|package)/|guides/(?:bots|downstream)).*(?:${pattern}).*\\.test\\.ts$`

await finish(() => withServers('embedded', (env) => runTests(chosen, { ...env, TEST_TOOLS: 'true' })), 25)
