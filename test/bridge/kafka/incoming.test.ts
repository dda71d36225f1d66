import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Instant } from '../../../contracts/primitives.ts'
import { toDeadLetter } from '../../../src/bridge/kafka/dead-letters.ts'
import { toIncoming } from '../../../src/bridge/kafka/wire-record.ts'

const message = {
  key: Buffer.from('acme/1'),
  value: null,
  offset: '9007199254740991',
  timestamp: '1665415880000',
  headers: {},
}
const why = { consumer: 'egress', cause: 'contract', detail: 'x', failedAt: '2026-01-31T12:00:00.000Z' as Instant }

const incoming = suite('incoming records')

incoming('a record with a timestamp outside of the calendar can become a dead letter', () => {
  const stamps = ['-1', '99999999999999999'].map((timestamp) => {
    const record = toIncoming('chats', 3, { ...message, timestamp })
    return toDeadLetter(record, why).headers.dl_timestamp
  })

  assert.equal(stamps, ['1970-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])
})

incoming.run()
