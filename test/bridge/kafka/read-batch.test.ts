import { createRequire } from 'node:module'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readBatch } from '../../../src/bridge/kafka/read-batch.ts'
import { allHeaders, toIncoming } from '../../../src/bridge/kafka/wire-record.ts'

const require = createRequire(import.meta.url)
const protocol = 'kafkajs/src/protocol'
const Decoder = require(`${protocol}/decoder.js`)
const { RecordBatch } = require(`${protocol}/recordBatch/v0/index.js`)
const Record = require(`${protocol}/recordBatch/record/v0/index.js`)

/** kafkajs's own decoder, also where other tests of this process have loaded the patch. */
const kafkajsDecoder = () => {
  const path = require.resolve(`${protocol}/recordBatch/v0/decoder.js`)
  const patched = require.cache[path]
  delete require.cache[path]
  const own = require(path)
  if (patched !== undefined) require.cache[path] = patched
  return own
}
const decodeByKafkajs = kafkajsDecoder()

type Given = {
  readonly key: string | null
  readonly value: string | null
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string>>>
}
const batchOf = async (given: ReadonlyArray<Given>, { firstOffset = 7, compression = 0 } = {}): Promise<Buffer> => {
  const records = given.map((record, offsetDelta) =>
    Record({ ...record, offsetDelta, timestampDelta: offsetDelta * 3 }),
  )
  const { buffer } = await RecordBatch({
    compression,
    firstOffset,
    firstTimestamp: 1_665_415_880_000,
    maxTimestamp: 1_665_415_880_000,
    lastOffsetDelta: given.length - 1,
    partitionLeaderEpoch: 4,
    records,
  })
  return buffer
}

const seen = ({ records }: { readonly records: ReadonlyArray<Parameters<typeof toIncoming>[2]> }) =>
  records.map((record) => {
    const { offset, timestamp, key, value, headers, batchContext } = record
    return { offset, timestamp, key, value, headers: { ...headers }, epoch: batchContext?.partitionLeaderEpoch }
  })

const text = fc.string({ maxLength: 300 })
// kafkajs makes something else of these names, which every object inherits.
const name = fc.string({ maxLength: 80 }).filter((each) => !(each in {}))
const headers = fc.dictionary(name, fc.oneof(text, fc.array(text, { minLength: 2, maxLength: 3 })), { maxKeys: 14 })
const record = fc.record({
  key: fc.option(text),
  value: fc.option(text),
  headers,
})

const batches = suite('the records of a batch')

for (const [how, compression] of [
  ['plain', 0],
  ['compressed', 1],
] as const)
  batches(`a ${how} batch has the records that kafkajs's own decoder finds`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 5 }), fc.nat(), async (given, firstOffset) => {
        const bytes = await batchOf(given, { firstOffset, compression })
        assert.equal(seen(await readBatch(bytes)), seen(await decodeByKafkajs(new Decoder(bytes))))
      }),
      { numRuns: 60 },
    )
  })

batches('offset and timestamp are exact numbers, and the last value of a repeated header counts', async () => {
  const bytes = await batchOf([{ key: 'acme/1', value: null, headers: { once: 'a', twice: ['a', 'b'] } }])
  const { records } = await readBatch(bytes)
  const [incoming] = records.map((each) => toIncoming('chats', 3, each))

  assert.equal(incoming && { ...incoming, headers: { ...incoming.headers } }, {
    topic: 'chats',
    partition: 3,
    offset: 7,
    epoch: 4,
    timestamp: 1_665_415_880_000,
    key: Buffer.from('acme/1'),
    value: null,
    headers: { once: Buffer.from('a'), twice: Buffer.from('b') },
  })
  assert.equal(incoming && { ...allHeaders(incoming) }, {
    once: Buffer.from('a'),
    twice: [Buffer.from('a'), Buffer.from('b')],
  })
})

batches('names that every object has are ordinary headers', async () => {
  const own = { constructor: 'a', toString: 'b', ['__proto__']: 'c' }
  const { records } = await readBatch(await batchOf([{ key: null, value: null, headers: own }]))
  const [incoming] = records.map((each) => toIncoming('chats', 0, each))

  assert.equal(
    Object.entries(incoming?.headers ?? {}).map(([each, value]) => [each, `${value}`]),
    [
      ['constructor', 'a'],
      ['toString', 'b'],
      ['__proto__', 'c'],
    ],
  )
  assert.is(incoming?.headers.ce_id, undefined)
})

batches('a batch whose bytes are changed anywhere is refused, or has as many records', async () => {
  const bytes = await batchOf([
    { key: 'acme/1', value: 'x'.repeat(90), headers: { ce_id: 'a', ce_type: 'b' } },
    { key: null, value: null, headers: {} },
  ])
  let refused = 0
  for (let at = 61; at < bytes.length; at++)
    for (const byte of [0x00, 0x01, 0x7f, 0x80, 0xff]) {
      const changed = Buffer.from(bytes)
      changed[at] = byte
      const read = await readBatch(changed).catch((error: unknown) => error)
      if (read instanceof RangeError) refused++
      else assert.is((read as { readonly records: ReadonlyArray<unknown> }).records.length, 2)
    }
  assert.ok(refused > 50, `${refused}`)
})

batches.run()
