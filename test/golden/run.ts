// Replays what was recorded, and says in words what differs from what is expected. `--update` makes it the expected,
// `--memory` leaves out what needs servers.
import { differences, expectedItems, writeExpected } from './items.ts'
import { isInMemory, replay } from './replay.ts'

const [isUpdate, onlyMemory] = ['--update', '--memory'].map((flag) => process.argv.includes(flag))
const before = expectedItems()
const items = await replay({ onlyMemory })
const expected = onlyMemory ? new Map([...before].filter(([name]) => isInMemory(name))) : before
const found = differences(expected, items)
for (const line of found) console.log(line)
if (isUpdate) writeExpected(new Map([...before].filter(([name]) => onlyMemory && !isInMemory(name)).concat([...items])))
console.log(`${items.size} items, ${found.length} differences${isUpdate ? ', written as expected' : ''}`)
process.exitCode = found.length === 0 || isUpdate ? 0 : 1
