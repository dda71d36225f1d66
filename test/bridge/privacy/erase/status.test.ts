import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { markersAfterOthers } from '../../../../src/bridge/privacy/erase/status.ts'

const status = suite('what an erasure may have left in a topic')

/** Markers as `partition/offset`; each partition begins at `low`. */
const rows: ReadonlyArray<readonly [string, string, number, string]> = [
  ['a record precedes the marker', '0/5', 4, '0/5'],
  ['Kafka has deleted what preceded it', '0/5', 5, ''],
  ['only markers of the same erasure precede it', '0/0 0/1 0/2', 0, ''],
  ['markers, then a record, then a marker', '0/0 0/1 0/3', 0, '0/3'],
  ['the markers are not in order', '0/3 0/1 0/0', 0, '0/3'],
  ['each partition has its own records', '0/0 1/1', 0, '1/1'],
  ['nothing is written', '', 0, ''],
]
const read = (text: string) =>
  text
    .split(' ')
    .filter((place) => place !== '')
    .map((place) => {
      const [partition = 0, offset = 0] = place.split('/').map(Number)
      return { partition, offset }
    })
for (const [name, markers, low, found] of rows)
  status(name, () =>
    assert.equal(
      markersAfterOthers(read(markers), () => low),
      read(found),
    ),
  )

status.run()
