import fc from 'fast-check'
import { Partitioners } from 'kafkajs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { keyDistributionOf, murmur2 } from '../../../../src/bridge/kafka/partitions/key-distribution.ts'

const keyOf = (chat: number) => Buffer.from(`acme/${chat}`)
const placed = (chats: ReadonlyArray<number>, over: number) =>
  chats.map((chat) => ({ key: keyOf(chat), partition: murmur2(keyOf(chat)) % over }))
const chatsOf = (count: number) => Array.from({ length: count }, (_, chat) => chat)

const counts = fc.record({ before: fc.integer({ min: 1, max: 40 }), added: fc.integer({ min: 0, max: 60 }) })
const distribution = suite('key distribution')

distribution("the hash of a key equals the hash of Kafka's own clients", () => {
  // Values from UtilsTest of Apache Kafka, without the sign.
  assert.is(murmur2(Buffer.from('21')), -973932308 & 0x7fffffff)
  assert.is(murmur2(Buffer.from('foobar')), -790332482 & 0x7fffffff)
  assert.is(murmur2(Buffer.from('a-little-bit-long-string')), -985981536 & 0x7fffffff)
  assert.is(murmur2(Buffer.from('a-little-bit-longer-string')), -1486304829 & 0x7fffffff)
  assert.is(murmur2(Buffer.from('lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8')), -58897971 & 0x7fffffff)
  assert.is(murmur2(Buffer.from('abc')), 479470107)
})

distribution('the hash equals the hash of kafkajs, and so of the Java client', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 64 }), (key, count) => {
      const given = { topic: 't', message: { key, value: null }, partitionMetadata: Array(count).fill({ leader: 1 }) }
      assert.is(murmur2(Buffer.from(key)) % count, Partitioners.DefaultPartitioner()(given))
    }),
  )
})

distribution('partitions that were added are not counted', () => {
  fc.assert(
    fc.property(counts, ({ before, added }) => {
      const of = before + added
      assert.equal(keyDistributionOf(of, placed(chatsOf(200), before)), {
        keyPartitions: before,
        partitions: of,
        mixed: false,
      })
    }),
  )
})

distribution('for any result, no inspected key moves to another partition', () => {
  fc.assert(
    fc.property(counts, fc.uniqueArray(fc.nat(10_000), { maxLength: 12 }), ({ before, added }, chats) => {
      const found = placed(chats, before)
      const { keyPartitions, mixed } = keyDistributionOf(before + added, found)
      assert.is(mixed, false)
      for (const { key, partition } of found) assert.is(murmur2(key) % keyPartitions, partition)
    }),
  )
})

distribution('a few records that other producers wrote anywhere do not count', () => {
  const elsewhere = chatsOf(9).map((i) => ({ key: keyOf(10_000 + i), partition: 0 }))
  assert.is(keyDistributionOf(24, [...placed(chatsOf(300), 12), ...elsewhere]).keyPartitions, 12)
})

distribution(
  'if keys match no number of partitions, all existing partitions are used and the result is marked as mixed',
  () => {
    const mixed = [...placed(chatsOf(100), 12), ...placed(chatsOf(200).slice(100), 24)]
    assert.equal(keyDistributionOf(24, mixed), { keyPartitions: 24, partitions: 24, mixed: true })
  },
)

distribution.run()
