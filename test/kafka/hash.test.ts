import { createRequire } from 'node:module'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { hashOf } from '../../src/kafka/spread/hash.ts'

const kafkajs: (key: Buffer) => number = createRequire(import.meta.url)(
  'kafkajs/src/producer/partitioners/default/murmur2.js',
)

test("a key's hash is the one that Kafka's own clients have", () => {
  // From UtilsTest of Apache Kafka, without the sign.
  assert.is(hashOf(Buffer.from('21')), -973932308 & 0x7fffffff)
  assert.is(hashOf(Buffer.from('foobar')), -790332482 & 0x7fffffff)
  assert.is(hashOf(Buffer.from('a-little-bit-long-string')), -985981536 & 0x7fffffff)
  assert.is(hashOf(Buffer.from('a-little-bit-longer-string')), -1486304829 & 0x7fffffff)
  assert.is(hashOf(Buffer.from('lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8')), -58897971 & 0x7fffffff)
  assert.is(hashOf(Buffer.from('abc')), 479470107)
})

test('and the one of kafkajs, whatever the bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const key = Buffer.from(bytes)
      assert.is(hashOf(key), kafkajs(key) & 0x7fffffff)
    }),
    { numRuns: 2_000 },
  )
})

test.run()
