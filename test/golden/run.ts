// Replays what was recorded, and says in words what differs from what is expected. `--update` makes it the expected,
// `--memory` leaves out what needs servers.
import { differences, writeExpected } from './items.ts'
import { expectedAt, type Place, replay } from './replay.ts'

const [isUpdate, onlyMemory] = ['--update', '--memory'].map((flag) => process.argv.includes(flag))
const replayed: ReadonlyArray<Place> = onlyMemory ? ['memory'] : ['memory', 'servers']
const left: ReadonlyArray<Place> = onlyMemory ? ['servers'] : []
const items = []
const found = []
for (const place of replayed) {
  const actual = await replay(place)
  items.push(...actual)
  found.push(...differences(expectedAt(place), actual))
}
for (const line of found) console.log(line)
if (isUpdate) writeExpected(new Map([...items, ...left.flatMap((place) => [...expectedAt(place)])]))
console.log(`${items.length} items, ${found.length} differences${isUpdate ? ', written as expected' : ''}`)
process.exitCode = found.length === 0 || isUpdate ? 0 : 1
