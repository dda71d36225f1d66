import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { IncomingRecord } from '../../../src/bridge/domain/log/record.ts'
import { type BufferedSlice, fetchBuffer, roomOf } from '../../../src/bridge/kafka/consumer/fetch-buffer.ts'

const values = [10, 5_000, 2_000_000].map((bytes) => Buffer.alloc(bytes))
const recordAt = (offset: number, value = values[0] ?? null): IncomingRecord => ({
  topic: 'chats',
  partition: 0,
  offset,
  timestamp: 0,
  key: null,
  value,
  headers: {},
})
const offsetsOf = ({ records }: BufferedSlice) => records.map(({ offset }) => offset)
const taken = (buffer: ReturnType<typeof fetchBuffer>): ReadonlyArray<BufferedSlice> => {
  const slices: BufferedSlice[] = []
  for (let slice = buffer.first(); slice !== undefined; slice = buffer.first()) {
    slices.push(slice)
    buffer.shift()
  }
  return slices
}

const room = () => roomOf(Number.POSITIVE_INFINITY, () => {})

const queues = suite('fetch buffer')

const fetches = fc.array(
  fc.record({ count: fc.nat(700), value: fc.constantFrom(...values), gap: fc.nat(2), takes: fc.boolean() }),
  { maxLength: 12 },
)

queues('while it catches up, unstarted records form one slice, and the buffer is full when this slice is large', () => {
  const buffer = fetchBuffer(room(), 24_000)
  const add = (from: number, to: number) =>
    buffer.add(
      Array.from({ length: to - from }, (_, i) => recordAt(from + i)),
      to,
    )
  add(0, 900)
  const full = [buffer.isFull()]
  add(900, 1_800)
  full.push(buffer.isFull())
  buffer.setCatchUp(true)
  full.push(buffer.isFull())
  add(1_800, 23_100)
  full.push(buffer.isFull())
  buffer.setCatchUp(false)
  const begun = buffer.begin()
  add(23_100, 23_200)
  add(23_200, 23_300)
  assert.equal(full, [false, true, false, true])
  assert.is(buffer.first(), begun)
  assert.equal(
    taken(buffer).map(({ records, next }) => [records.length, next]),
    [
      [23_100, 23_100],
      [200, 23_300],
    ],
  )
})

const isWithin = (catchesUp: boolean) => (catchesUp ? [24_000, 24_000 * 1_400] : [500, 1024 * 1024])

queues('all records are there, in order, in slices within their limits; a started slice does not change', () => {
  fc.assert(
    fc.property(fetches, fc.boolean(), (all, catchesUp) => {
      const buffer = fetchBuffer(room(), catchesUp ? 24_000 : undefined)
      const [most = 0, mostBytes = 0] = isWithin(catchesUp)
      const seen: BufferedSlice[] = []
      let offset = 0
      for (const { count, value, gap, takes } of all) {
        const first = catchesUp && takes ? buffer.begin() : buffer.first()
        const stays = first !== undefined && (takes || !catchesUp)
        const records = Array.from({ length: count }, () => recordAt(offset++, value))
        // Offsets behind the last record may belong to no record.
        offset += gap
        buffer.add(records, offset)
        if (stays) assert.is(buffer.first(), first)
        if (!takes || buffer.first() === undefined) continue
        seen.push(buffer.first() as BufferedSlice)
        buffer.shift()
      }
      seen.push(...taken(buffer))
      const offsets = seen.flatMap(offsetsOf)
      const added = all.reduce((sum, { count }) => sum + count, 0)
      assert.equal([offsets.length, [...offsets].sort((a, b) => a - b)], [added, offsets])
      for (const [i, { records, next }] of seen.entries()) {
        const size = records.reduce((sum, record) => sum + (record.value?.length ?? 0), 0)
        assert.ok(records.length <= most && (size <= mostBytes || records.length === 1))
        assert.ok(next > (records.at(-1)?.offset ?? -1) && next <= (seen[i + 1]?.records[0]?.offset ?? offset))
      }
      assert.is(buffer.isFull(), false)
    }),
  )
})

queues(
  'partitions that hold something wait while all of them hold more than they may; a partition without records does not',
  () => {
    let changes = 0
    let held = 0
    const counted = roomOf(30_000, () => changes++)
    const together = {
      ...counted,
      hold: (bytes: number) => {
        held += bytes
        counted.hold(bytes)
      },
    }
    const [one, two, three] = [0, 1, 2].map(() => fetchBuffer(together, 24_000)) as [
      ReturnType<typeof fetchBuffer>,
      ReturnType<typeof fetchBuffer>,
      ReturnType<typeof fetchBuffer>,
    ]
    one.add([recordAt(0, values[1]), recordAt(1, values[1])], 2)
    const before = [one.isFull(), two.isFull()]
    two.add([recordAt(0, values[1]), recordAt(1, values[1]), recordAt(2, values[1]), recordAt(3, values[1])], 4)
    const during = [one.isFull(), two.isFull(), three.isFull()]
    one.shift()

    assert.equal(
      [before, during, [one.isFull(), two.isFull()]],
      [
        [false, false],
        [true, true, false],
        [false, false],
      ],
    )
    assert.equal([held, changes], [20_000, 2])
  },
)

queues.run()
