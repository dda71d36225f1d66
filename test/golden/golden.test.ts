import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { differences, expectedItems } from './items.ts'
import { replay } from './replay.ts'

const golden = suite('golden replay')

golden('what was recorded gives what is expected, without servers and on them (npm run golden)', async () => {
  assert.is(differences(expectedItems(), await replay()).join('\n'), '')
})

golden.run()
