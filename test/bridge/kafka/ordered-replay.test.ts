import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { IncomingRecord, Slice } from '../../../src/bridge/domain/log/record.ts'
import { orderedReplay } from '../../../src/bridge/kafka/read-topic.ts'

const recordAt = (partition: number, offset: number): IncomingRecord => ({
  topic: 'dead-letters',
  partition,
  offset,
  timestamp: 0,
  key: null,
  value: null,
  headers: {},
})
const sliceOf = (partition: number, from: number, to: number): Slice => ({
  topic: 'dead-letters',
  partition,
  records: Array.from({ length: to - from }, (_, i) => recordAt(partition, from + i)),
})
const placeOf = ({ partition, offset }: IncomingRecord) => `${partition}/${offset}`
const soon = () => new Promise((resolve) => setImmediate(resolve))

const turns = suite('ordered replay')

turns('every record of the ranges is read once, partition after partition, one slice at a time', async () => {
  const range = fc.record({ low: fc.nat(5), length: fc.nat(8) })
  await fc.assert(
    fc.asyncProperty(fc.array(range, { maxLength: 4 }), fc.infiniteStream(fc.nat()), async (ranges, choices) => {
      const parts = new Map(ranges.map(({ low, length }, partition) => [partition, { low, high: low + length }]))
      const read: string[] = []
      let reading = 0
      const { take, over } = orderedReplay(parts, async (records) => {
        assert.is(++reading, 1)
        await Promise.resolve()
        read.push(...records.map(placeOf))
        reading--
      })
      // Each partition arrives separately, in slices of any size. Some repeat records, some pass the end of their part.
      const source = async (partition: number, { low, high }: { low: number; high: number }) => {
        for (let from = low; from < high + 2; ) {
          const size = 1 + ((choices.next().value ?? 0) % 4)
          await take(sliceOf(partition, Math.max(low, from - ((choices.next().value ?? 0) % 3)), from + size))
          from += size
        }
      }
      await Promise.all([...parts].reverse().map(([partition, part]) => source(partition, part)))
      await over

      const expected = [...parts].flatMap(([partition, { low, high }]) =>
        low < high ? sliceOf(partition, low, high).records.map(placeOf) : [],
      )
      assert.equal(read, expected)
    }),
    { numRuns: 50 },
  )
})

turns('after its end the replay starts no slice, and is finished when the running slice has ended', async () => {
  const read: string[] = []
  const held = Promise.withResolvers<void>()
  const reading = orderedReplay(
    new Map([
      [0, { low: 0, high: 9 }],
      [1, { low: 0, high: 9 }],
    ]),
    async (records) => {
      await held.promise
      read.push(...records.map(placeOf))
    },
  )
  let isOver = false
  const over = reading.over.then(() => {
    isOver = true
  })
  const taken = [reading.take(sliceOf(0, 0, 2)), reading.take(sliceOf(1, 0, 2))]
  await soon()

  reading.end()

  await soon()
  assert.is(isOver, false)
  held.resolve()
  await over
  await Promise.all([...taken, reading.take(sliceOf(0, 2, 4))])
  assert.equal(read, ['0/0', '0/1'])
})

turns.run()
