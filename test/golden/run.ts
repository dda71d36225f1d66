// Replays what was recorded, and prints in words what differs from the last update. `--update` makes it the expected.
import './fixed.ts'
import { replayInMemory } from './in-memory.ts'
import { differences, expectedItems, writeExpected } from './items.ts'
import { readRecorded } from './recorded.ts'

const isUpdate = process.argv.includes('--update')
const { items } = await replayInMemory(readRecorded())
const expected = expectedItems()
const found = differences(expected, items)
for (const line of found) console.log(line)
if (isUpdate) writeExpected(items)
console.log(`${items.size} items, ${found.length} differences${isUpdate && found.length > 0 ? ', written' : ''}`)
process.exitCode = found.length === 0 || isUpdate ? 0 : 1
