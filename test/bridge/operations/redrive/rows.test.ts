import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Instant } from '../../../../contracts/primitives.ts'
import { noResults, tallyText } from '../../../../src/bridge/operations/redrive/batches.ts'
import {
  deadLetterHead,
  deadLetterRow,
  listDeadLetters,
  listedDeadLetter,
  listedRequest,
  listRequests,
  quarantineRow,
} from '../../../../src/bridge/operations/redrive/list.ts'
import { resultLine, sendWords } from '../../../../src/bridge/operations/redrive/send.ts'
import { recordLines } from '../../../../src/bridge/operations/redrive/show.ts'
import { table } from '../../../../src/bridge/shared/table.ts'
import { printable } from '../../../../src/bridge/shared/text.ts'
import { deadLetters } from './given-letters.ts'

const noon = '2026-01-31T12:00:00.000Z' as Instant
const deadLetter = {
  id: '1/7',
  account: 'acme',
  key: 'acme/2037',
  bytes: 2,
  origin: { topic: 'chats', partition: 3, offset: 42 } as const,
  consumer: 'projector',
  cause: 'contract',
  detail: 'id: expected text',
  failedAt: noon,
  firstFailedAt: noon,
  appendedAt: noon,
  redriven: 2,
}
const steers = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u
const awkward = fc.string({ unit: fc.oneof(fc.constantFrom('\u001b', '\n', '\u202e', '\u009b', 'a'), fc.string()) })

const rows = suite('the output of redrive')

rows('a dead letter is a row', () => {
  const told = ['1/7', 'chats/3/42', 'projector', 'contract', noon, '2']
  assert.equal(
    [undefined, [], [noon], [noon, noon]].map((sentAt) => deadLetterRow(listedDeadLetter({ ...deadLetter, sentAt }))),
    ['?', 'no', noon, `2 times, last ${noon}`].map((redriven) => [...told, redriven, 'id: expected text']),
  )
})

rows('no text of others can control the terminal', () => {
  fc.assert(
    fc.property(deadLetters, awkward, (given, text) => {
      const hostile = { ...given, consumer: text, cause: text, detail: text }
      for (const line of [
        ...table([deadLetterHead, deadLetterRow(listedDeadLetter({ ...hostile, sentAt: [] }))]),
        resultLine('refused', hostile, text),
      ])
        assert.not.match(line, steers)
      const bytes = Buffer.from(text)
      const record = {
        topic: 'dead-letters',
        partition: 0,
        offset: 0,
        timestamp: 0,
        headers: { [text]: bytes },
      } as const
      for (const line of recordLines({ ...record, key: bytes, value: bytes }).flatMap((lines) => lines.split('\n')))
        assert.not.match(line, steers)
    }),
  )
  assert.is(printable('a\u001b[2Jb\u202ec'), 'a\\u001b[2Jb\\u202ec')
})

rows(
  'a record is shown as text if it is UTF-8, otherwise in hexadecimal digits, and a missing value is shown as such',
  () => {
    const headers = { mark: Buffer.from('\ufeffé'), raw: Buffer.from([0xff]) }
    const record = { topic: 'chats', partition: 2, offset: 5, timestamp: Date.parse(noon), headers } as const
    const head = ['id      2/5', `stored  ${noon}`, 'header  mark: \ufeffé', 'header  raw: hex ff']
    assert.equal(recordLines({ ...record, key: null, value: Buffer.from('a\nb') }), [
      ...head,
      'key     (null)',
      'value   3 bytes',
      'a\nb',
    ])
    assert.equal(recordLines({ ...record, key: Buffer.from([0xfe]), value: Buffer.alloc(0) }), [
      ...head,
      'key     hex fe',
      'value   0 bytes',
      '',
    ])
  },
)

rows('a table has aligned columns, and no blanks at the ends of lines', () => {
  assert.equal(
    table([
      ['ID', 'WHAT'],
      ['1/77', 'a'],
      ['2', ''],
    ]),
    ['ID    WHAT', '1/77  a', '2'],
  )
  assert.equal(table([]), [])
})

rows('a summary has only results that occurred', () => {
  assert.is(tallyText({ ...noResults, done: 3, kept: 1 }, sendWords), '3 sent, 1 refused')
  assert.is(tallyText(noResults, sendWords), 'no dead letter matches')
})

const found = { count: 0, letters: [], others: [], groups: [], unreadable: 0, isCut: false }

rows('a request in quarantine is a row', () => {
  const told = {
    interface: 'bot' as const,
    receivedAt: noon,
    reason: 'invalid' as const,
    bytes: 2,
    problems: 'event: expected text',
  }
  const request = { id: '0/9', account: 'acme', ...told, memoryId: 'quarantine/q', sentAt: [] }
  assert.equal(quarantineRow(listedRequest(request)), ['0/9', 'acme', 'bot', noon, 'invalid', '2', told.problems])
})

rows('below a table is the number of letters, what the table lacks, and what is unknown', () => {
  const letters = [{ ...deadLetter, sentAt: undefined }]
  assert.equal(listDeadLetters({ ...found, count: 3, letters, unreadable: 2 }).lines.slice(2), [
    '',
    'dead letters: the newest 1 of 3',
    'records without the headers of a dead letter, not listed: 2',
    'MongoDB does not answer, so it is not known which of them were redriven',
  ])
  assert.equal(listRequests(found), { count: 0, listed: [], lines: ['requests in quarantine: 0'] })
})

rows.run()
