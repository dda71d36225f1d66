import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Piece, partitionQueue } from '../../src/kafka/consumer/partition-queue.ts'
import type { IncomingRecord } from '../../src/ports.ts'

const values = [10, 5_000, 2_000_000].map((bytes) => Buffer.alloc(bytes))
const recordAt = (offset: number, value = values[0] ?? null): IncomingRecord => ({
  ...{ topic: 'chats', partition: 0, offset, timestamp: 0, key: null, value, headers: {} },
})
const offsetsOf = ({ records }: Piece) => records.map(({ offset }) => offset)
const taken = (queue: ReturnType<typeof partitionQueue>): ReadonlyArray<Piece> => {
  const pieces: Piece[] = []
  for (let piece = queue.first(); piece !== undefined; piece = queue.first()) {
    pieces.push(piece)
    queue.shift()
  }
  return pieces
}

const queues = suite('what waits of a partition')

queues('that came bit by bit behind a slice that hangs goes together after it', () => {
  const queue = partitionQueue()
  for (let offset = 0; offset < 400; offset += 2) queue.add([recordAt(offset), recordAt(offset + 1)], offset + 2)
  assert.equal(
    taken(queue).map(({ records, next }) => [records.length, next]),
    [
      [2, 2],
      [398, 400],
    ],
  )
})

const fetches = fc.array(
  fc.record({ count: fc.nat(700), value: fc.constantFrom(...values), gap: fc.nat(2), takes: fc.boolean() }),
  { maxLength: 12 },
)

queues('is all there, in order, in slices within their bounds; the first does not change', () => {
  fc.assert(
    fc.property(fetches, (all) => {
      const queue = partitionQueue()
      const seen: Piece[] = []
      let offset = 0
      for (const { count, value, gap, takes } of all) {
        const first = queue.first()
        const records = Array.from({ length: count }, () => recordAt(offset++, value))
        // Behind the last record there may be what is no record.
        offset += gap
        queue.add(records, offset)
        if (first !== undefined) assert.is(queue.first(), first)
        if (!takes || queue.first() === undefined) continue
        seen.push(queue.first() as Piece)
        queue.shift()
      }
      seen.push(...taken(queue))
      const offsets = seen.flatMap(offsetsOf)
      const added = all.reduce((sum, { count }) => sum + count, 0)
      assert.equal([offsets.length, [...offsets].sort((a, b) => a - b)], [added, offsets])
      for (const [i, { records, next }] of seen.entries()) {
        const size = records.reduce((sum, record) => sum + (record.value?.length ?? 0), 0)
        assert.ok(records.length <= 500 && (size <= 1024 * 1024 || records.length === 1))
        assert.ok(next > (records.at(-1)?.offset ?? -1) && next <= (seen[i + 1]?.records[0]?.offset ?? offset))
      }
      assert.is(queue.isFull(), false)
    }),
  )
})

queues.run()
