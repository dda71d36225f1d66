import './fixed.ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { replayInMemory } from './in-memory.ts'
import { differences, expectedItems } from './items.ts'
import { readRecorded } from './recorded.ts'

const golden = suite('golden replay')

golden('what was recorded gives the same records, documents, answers and requests without servers', async () => {
  const { items } = await replayInMemory(readRecorded())
  assert.is(differences(expectedItems(), items).join('\n'), '')
})

golden.run()
