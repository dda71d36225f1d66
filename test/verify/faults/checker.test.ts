import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { check, wrongDocuments } from './checker.ts'
import type { Exchange, LogRecord } from './history.ts'

const chat = 'chats acme/1'
/** Sent at `10 * seq`, answered 5 ms later. */
const posted = (seq: number, rest: Partial<Exchange> = {}): Exchange => ({
  chat,
  seq,
  sentAt: 10 * seq,
  endedAt: 10 * seq + 5,
  status: 200,
  ...rest,
})
const inLog = (...seqs: ReadonlyArray<number>): ReadonlyArray<LogRecord> =>
  seqs.map((seq, offset) => ({ chat, seq, partition: 0, offset, id: `e${seq}` }))
const unanswered = ({ status, ...rest }: Exchange): Exchange => ({ ...rest, error: 'timeout' })

const well = {
  accepted: 3,
  refused: 0,
  unanswered: 0,
  lost: [],
  duplicated: 0,
  mostCopies: 1,
  renamed: [],
  inverted: [],
  longestStall: 10,
}
const history = [posted(1), posted(2), posted(3)]

const checking = suite('checker')

checking('a history that the log bears out has no fault', () => {
  assert.equal(check(history, inLog(1, 2, 3)), well)
})

checking('an accepted event that is not in the log is lost; a refused or unanswered one is not', () => {
  assert.equal(check(history, inLog(1, 3)).lost, [`${chat} #2`])
  const uncertain = [posted(1), posted(2, { status: 503 }), unanswered(posted(3))]
  assert.equal(check(uncertain, inLog(1)), {
    ...well,
    accepted: 1,
    refused: 1,
    unanswered: 1,
    longestStall: 0,
  })
})

checking('an event that is accepted at its second attempt is accepted once', () => {
  assert.is(check([unanswered(posted(1)), posted(1, { sentAt: 40, endedAt: 45 })], inLog(1)).accepted, 1)
})

checking('a repeat under the same identity is a duplicate, and its place is that of the first', () => {
  assert.equal(check(history, inLog(1, 2, 1, 3, 2)), { ...well, duplicated: 2, mostCopies: 2 })
})

checking('a repeat under another identity is told apart', () => {
  const log = [...inLog(1, 2, 3), { chat, seq: 2, partition: 0, offset: 3, id: 'other' }]
  assert.equal(check(history, log), { ...well, renamed: [`${chat} #2`] })
})

checking('an event that was sent after the answer to another and stands before it is an inversion', () => {
  assert.equal(check(history, inLog(2, 1, 3)).inverted, [`${chat} #2`])
  assert.equal(check(history, inLog(3, 1, 2)).inverted, [`${chat} #3`])
})

checking('of events that were on their way at the same time, either may be the first', () => {
  const together = [posted(1, { endedAt: 100 }), posted(2)]
  assert.equal(check(together, inLog(2, 1)).inverted, [])
})

checking('an event of which nobody was told that it is durable has no order to keep', () => {
  assert.equal(check([unanswered(posted(1)), posted(2)], inLog(2, 1)).inverted, [])
})

checking('chats do not order each other', () => {
  const other: LogRecord = { chat: 'chats acme/2', seq: 1, partition: 0, offset: 0, id: 'x' }
  const log = [other, ...inLog(1, 2, 3).map((record) => ({ ...record, offset: record.offset + 1 }))]
  assert.equal(check([...history, posted(1, { chat: other.chat, sentAt: 90, endedAt: 95 })], log).inverted, [])
})

checking('documents that differ, are missing or are too many are wrong', () => {
  const expected = { same: { a: 1 }, differs: { a: 1 }, missing: { a: 1 } }
  assert.equal(wrongDocuments(expected, { same: { a: 1 }, differs: { a: 2 }, extra: {} }), [
    'differs: a',
    'missing: is missing',
    'extra: should not be there',
  ])
})

checking.run()
