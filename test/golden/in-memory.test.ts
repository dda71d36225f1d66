import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { differences } from './items.ts'
import { expectedAt, replay } from './replay.ts'

const golden = suite('golden replay without servers')

golden('what was recorded gives what is expected (npm run golden)', async () => {
  assert.is(differences(expectedAt('memory'), await replay('memory')).join('\n'), '')
})

golden.run()
