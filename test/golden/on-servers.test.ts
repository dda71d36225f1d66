import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { differences } from './items.ts'
import { expectedAt, replay } from './replay.ts'

const golden = suite('golden replay on real servers')

golden('what was recorded gives what is expected (npm run golden)', async () => {
  assert.is(differences(expectedAt('servers'), await replay('servers')).join('\n'), '')
})

golden.run()
