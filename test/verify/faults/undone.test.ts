import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { IncomingRecord } from '../../../src/bridge/domain/log/record.ts'
import type { Exchange } from './history.ts'
import { notAsTold, numbered } from './undone.ts'

const chat = 'calls acme/1'
const requests = (...statuses: ReadonlyArray<number | undefined>): ReadonlyArray<Exchange> =>
  statuses.map((status, i) => ({ chat, seq: i + 1, sentAt: i, endedAt: i, ...(status !== undefined && { status }) }))

/** Records of one call, each `<id>:<status>`. */
const log = (...records: ReadonlyArray<string>): ReadonlyArray<IncomingRecord> =>
  records.map((record, offset) => {
    const [id = '', status] = record.split(':')
    const headers = { ce_source: Buffer.from('webhooks'), ce_id: Buffer.from(id) }
    const value = Buffer.from(JSON.stringify({ call: { status } }))
    return { topic: 'calls', partition: 0, offset, timestamp: 0, key: Buffer.from('acme/1'), value, headers }
  })
const seqs = (history: ReadonlyArray<Exchange>, records: ReadonlyArray<IncomingRecord>) =>
  numbered(history, records).map(({ seq }) => seq)

const undone = suite('records of equal bodies')

undone('belong to requests by content and order; one that is repeated belongs to the same', () => {
  assert.equal(
    seqs(requests(200, 200, 200, 200), log('a:start', 'b:end', 'a:start', 'c:start', 'd:start')),
    [1, 2, 1, 3, 4],
  )
})

undone('may be of requests without an answer', () => {
  assert.equal(seqs(requests(200, undefined, 200, 503), log('a:start', 'c:start')), [1, 3])
  assert.equal(seqs(requests(200, undefined, 200, 503), log('a:start', 'b:end', 'c:start')), [1, 2, 3])
})

undone('belong to none if a request that was answered 200 is missing, or the order is another', () => {
  assert.equal(seqs(requests(200, 200, 200, 200), log('a:start', 'b:end')), [undefined, undefined])
  assert.equal(seqs(requests(200, 200), log('b:end', 'a:start')), [undefined, undefined])
})

undone('count once in a document, and not at all if they repeat what the one before said', () => {
  const records = log('a:start', 'b:end', 'a:start', 'c:start', 'd:start')
  const call = (...statuses: ReadonlyArray<string>) => ({ [chat]: { history: statuses.map((status) => ({ status })) } })
  assert.equal(notAsTold(records, call('start', 'end', 'start')), [])
  assert.equal(notAsTold(records, call('start', 'end', 'start', 'start')), [
    'calls acme/1: start,end,start,start, and not start,end,start',
  ])
})

undone.run()
