import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Instant } from '../../contracts/primitives.ts'
import { toDeadLetter } from '../../src/kafka/dead-letters.ts'
import { toIncoming } from '../../src/kafka/wire-record.ts'

const message = (headers: Record<string, Buffer | Buffer[]>) => ({
  key: Buffer.from('acme/1'),
  value: null,
  offset: '9007199254740991',
  timestamp: '1665415880000',
  headers,
})
const why = { consumer: 'egress', cause: 'contract', detail: 'x', failedAt: '2026-01-31T12:00:00.000Z' as Instant }
const [a, b] = [Buffer.from('a'), Buffer.from('b')]

const incoming = suite('incoming records')

incoming('offset and timestamp are exact numbers, and the last value of a repeated header counts', () => {
  assert.equal(toIncoming('chats', 3, message({ once: a, twice: [a, b] })), {
    topic: 'chats',
    partition: 3,
    offset: 9007199254740991,
    timestamp: 1665415880000,
    key: Buffer.from('acme/1'),
    value: null,
    headers: { once: a, twice: b },
  })
})

incoming('a dead letter has every repetition of a header', () => {
  const { headers } = toDeadLetter(toIncoming('chats', 3, message({ once: a, twice: [a, b] })), why)

  assert.equal([headers.once, headers.twice, headers.dl_offset], [a, [a, b], '9007199254740991'])
})

incoming('a record with a timestamp outside of the calendar can become a dead letter', () => {
  const stamps = ['-1', '99999999999999999'].map((timestamp) => {
    const record = toIncoming('chats', 3, { ...message({}), timestamp })
    return toDeadLetter(record, why).headers.dl_timestamp
  })

  assert.equal(stamps, ['1970-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])
})

incoming('headers with names such as constructor are ordinary headers', () => {
  // kafkajs decodes the header like this: the object's own property of that name comes first.
  const headers = { constructor: [Object, a] as unknown as Buffer[] }

  assert.equal(toIncoming('chats', 0, message(headers)).headers.constructor, a)
})

incoming.run()
