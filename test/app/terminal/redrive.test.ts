import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Instant } from '../../../contracts/primitives.ts'
import {
  redriveListWords,
  redriveQuarantineWords,
  redriveSendWords,
  redriveShowWords,
} from '../../../src/app/terminal/redrive.ts'
import type { Line } from '../../../src/app/terminal/words.ts'
import { noResults, type Redriven, type Why } from '../../../src/bridge/operations/redrive/batches.ts'
import { listDeadLetters, listRequests } from '../../../src/bridge/operations/redrive/list.ts'
import { table } from '../../../src/bridge/shared/table.ts'
import { printable } from '../../../src/bridge/shared/text.ts'
import { deadLetters } from '../../bridge/operations/redrive/given-letters.ts'

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
  checksum: 1,
}
const steers = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u
const awkward = fc.string({ unit: fc.oneof(fc.constantFrom('\u001b', '\n', '\u202e', '\u009b', 'a'), fc.string()) })

const rows = suite('the output of redrive')

const found = { count: 0, letters: [], others: [], groups: [], unreadable: 0, isCut: false }
const letterEvent = { id: '1/7', origin: 'chats/3/42', consumer: 'projector', cause: 'unstorable' }

rows('a dead letter is a row below a head', () => {
  const letters = [undefined, [], [noon], [noon, noon]].map((sentAt) => ({ ...deadLetter, sentAt }))
  const { listed } = listDeadLetters({ ...found, letters })
  assert.equal(
    listed.map((each) => 'redriven' in each && each.redriven),
    [null, [], [noon], [noon, noon]],
  )
  const [head, ...lines] = redriveListWords.result(listDeadLetters({ ...found, count: 4, letters }))
  assert.match(`${head}`, /^ID +ORIGIN +CONSUMER +CAUSE +FAILED AT +BEFORE +REDRIVEN +DETAIL$/)
  assert.equal(
    lines.slice(0, 4).map((line) => `${line}`.split(/ {2,}/)),
    ['?', 'no', noon, `2 times, last ${noon}`].map((redriven) => [
      '1/7',
      'chats/3/42',
      'projector',
      'contract',
      noon,
      '2',
      redriven,
      'id: expected text',
    ]),
  )
})

rows('no text of others can control the terminal', () => {
  fc.assert(
    fc.property(deadLetters, awkward, (given, text) => {
      const letters = [{ ...given, consumer: text, cause: text, detail: text, checksum: 1, sentAt: [] }]
      const why = { kind: 'kafka', reason: text } as const
      const letter = { ...letterEvent, consumer: text, cause: text }
      const bytes = Buffer.from(text)
      const record = {
        topic: 'dead-letters',
        partition: 0,
        offset: 0,
        timestamp: 0,
        headers: { [text]: bytes },
      } as const
      const lines: ReadonlyArray<Line> = [
        ...redriveListWords.result(listDeadLetters({ ...found, count: 1, letters })),
        ...redriveSendWords.event({ kind: 'kept', letter, why }),
        ...redriveShowWords.result({ ...record, key: bytes, value: bytes }),
      ]
      for (const line of lines.flatMap((each) => `${each}`.split('\n'))) assert.not.match(line, steers)
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
    assert.equal(redriveShowWords.result({ ...record, key: null, value: Buffer.from('a\nb') }), [
      ...head,
      'key     (null)',
      'value   3 bytes',
      'a\nb',
    ])
    assert.equal(redriveShowWords.result({ ...record, key: Buffer.from([0xfe]), value: Buffer.alloc(0) }), [
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

rows('a request in quarantine is a row', () => {
  const shown = {
    interface: 'bot' as const,
    receivedAt: noon,
    reason: 'invalid' as const,
    bytes: 2,
    problems: 'event: expected text',
  }
  const request = { id: '0/9', account: 'acme', ...shown, memoryId: 'quarantine/q', sentAt: [] }
  const lines = redriveListWords.result(listRequests({ ...found, count: 1, letters: [request] }))
  assert.equal(`${lines[1]}`.split(/ {2,}/), ['0/9', 'acme', 'bot', noon, 'invalid', '2', shown.problems])
})

rows('below a table is the number of letters, what the table lacks, and what is unknown', () => {
  const letters = [{ ...deadLetter, sentAt: undefined }]
  const lines = redriveListWords.result(listDeadLetters({ ...found, count: 3, letters, unreadable: 2 }))
  assert.equal(lines.slice(2), [
    '',
    'dead letters: the newest 1 of 3',
    'records without the headers of a dead letter, not listed: 2',
    'MongoDB does not answer, so it is not known which of them were redriven',
  ])
  assert.equal(redriveListWords.result(listRequests(found)), ['requests in quarantine: 0'])
})

const warning = 'it fails again unless the cause is fixed'
const events: ReadonlyArray<readonly [cause: string, why: Why | undefined, line: string]> = [
  ['unstorable', undefined, 'refused        1/7  chats/3/42  projector  unstorable'],
  ['contract', undefined, `refused        1/7  chats/3/42  projector  contract  ${warning}`],
  ['invalid', undefined, `refused        1/7  chats/3/42  projector  invalid  ${warning}`],
  ['invalid', { kind: 'redriven', times: 3 }, 'refused        1/7  chats/3/42  projector  invalid  redriven 3 times'],
  [
    'unstorable',
    { kind: 'erased' },
    'refused        1/7  chats/3/42  projector  unstorable  the person has been erased since then',
  ],
  [
    'unstorable',
    { kind: 'outdated' },
    'refused        1/7  chats/3/42  projector  unstorable  the record would replace a newer state in the view',
  ],
]
for (const [cause, why, line] of events)
  rows(`a letter is a line: ${line}`, () => {
    const event = { kind: 'kept' as const, letter: { ...letterEvent, cause }, ...(why && { why }) }
    assert.equal(redriveSendWords.event(event), [line])
  })

rows('a request is a line with its event, or why it is not processed', () => {
  const request = { id: '0/9', account: 'acme', event: 'ClientUpdated' } as const
  assert.equal(redriveQuarantineWords.event({ kind: 'done', request }), [
    'processed           0/9  acme  ClientUpdated',
  ])
  assert.equal(redriveQuarantineWords.event({ kind: 'kept', request, why: { kind: 'cut' } }), [
    'not processed       0/9  acme  only its beginning was kept',
  ])
})

const unknown = 'MongoDB does not answer, so it is not known'
const advice =
  'Records that were redriven 3 times already need --force. Records older than the state in their view need --overwrite.'
const ends: ReadonlyArray<readonly [redriven: Redriven, lines: ReadonlyArray<Line>]> = [
  [{ tally: noResults }, ['no dead letter matches']],
  [{ tally: { ...noResults, done: 3, before: 1 } }, ['3 sent, 1 sent before']],
  [{ tally: { ...noResults, kept: 1 } }, ['1 refused', advice]],
  [{ tally: { ...noResults, done: 2 }, limit: 2 }, ['2 sent', 'The limit of 2 is reached. There may be more.']],
  [
    { tally: { ...noResults, done: 1 }, trouble: { kind: 'interrupted' } },
    ['1 sent', { err: 'Interrupted. Run the same redrive again to continue.' }],
  ],
  [
    { tally: noResults, trouble: { kind: 'mongodb', unknown: 'sent-before' } },
    [{ err: `${unknown} which records were sent before` }],
  ],
  [
    { tally: { ...noResults, done: 2 }, trouble: { kind: 'not-stored', count: 2 } },
    ['2 sent', { err: 'MongoDB does not answer: 2 of these were sent, but that could not be stored' }],
  ],
  [{ tally: noResults, trouble: { kind: 'kafka', reason: 'away' } }, [{ err: 'Kafka: away' }]],
]
for (const [redriven, lines] of ends)
  rows(`the end is printed: ${JSON.stringify(lines)}`, () => assert.equal(redriveSendWords.result(redriven), lines))

rows.run()
