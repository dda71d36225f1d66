import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ErasureDocument } from '../../contracts/views/erasure.ts'
import { remainsOf } from '../../src/bridge/privacy/remains.ts'
import { showTimesIn } from '../../src/console/browser/format.ts'
import { reported } from '../../src/console/pages/privacy/erasures.ts'
import {
  factsOf,
  isReceiptOf,
  receiptFile,
  receiptFileName,
  sectionsOf,
} from '../../src/console/pages/privacy/receipt.ts'
import { receipt as stored } from '../bridge/privacy/erase/given-erasures.ts'

const requestedAt = new Date('2026-01-31T23:30:00Z')
const checkedAt = new Date('2026-02-01T10:00:00Z')

/** A receipt as the console answers it. */
const receiptWith = (more: Partial<ErasureDocument>) => {
  const { receipt } = reported(
    stored('c0ffee', 31, {
      state: 'published',
      requestedAt,
      found: { chats: 2 } as ErasureDocument['found'],
      remains: [...remainsOf(requestedAt, { retentionDays: 14 })],
      ...more,
    }),
  )
  return JSON.parse(JSON.stringify(receipt)) as typeof receipt
}

const receipts = suite('a receipt in the console')

receipts.before.each(() => showTimesIn('Europe/Berlin'))
receipts.after.each(() => showTimesIn(undefined))

receipts('is a document: its account, who asked and when, with day and time zone', () => {
  const facts = factsOf(receiptWith({ ticket: 'GDPR-117' as never, checkedAt }), ['crm', 'shop'])
  assert.equal(facts, [
    ['Account', 'acme'],
    ['Requested', '1 Feb 2026, 00:30:00 (Europe/Berlin)'],
    ['By', 'retainDays'],
    ['Ticket', 'GDPR-117'],
    ['Receipt', 'c0ffee'],
    ['State', 'Every consumer is told'],
    ['Checked', '1 Feb 2026, 11:00:00 (Europe/Berlin)'],
    ['Confirmed by', 'crm, shop'],
  ])
})

receipts('has tables with heads, the same on the screen and on paper, and none that is empty', () => {
  const sections = sectionsOf(receiptWith({ checkedAt, stillFound: {}, publishedSince: { 'view chats': 1 } as never }))
  assert.equal(
    sections.map(({ title, head, rows }) => [title, head.join(', '), rows[0]]),
    [
      [
        'Somebody must act',
        'What, Until, Who must act',
        ['Names of removed details, if a team used an address as the name', 'No date', 'An operator removes them'],
      ],
      [
        'Newer than the erasure',
        'What, Who must act',
        ['Chats: 1 newer than the erasure', 'Nobody, if the person came back. Otherwise erase the person again'],
      ],
      ['Goes by itself', 'What, Until', ['Deleted data on the disks of Kafka', 'Kafka begins a new file']],
      ['Erased', 'What, Documents then, Now', ['Chats', '2', 'Nothing personal is left; ids, times and counts stay']],
    ],
  )
})

receipts('of an earlier version has a table with its sentences as they stand', () => {
  const remains = [{ where: 'event topics', until: '2026-02-14: the archiver deletes it' }]
  const sections = sectionsOf(receiptWith({ remains: remains as never }))
  assert.equal(
    sections.map(({ title, rows }) => [title, rows[0]]),
    [
      ['What remains, in the words of an earlier version', ['event topics', '2026-02-14: the archiver deletes it']],
      ['Erased', ['Chats', '2', 'Not checked yet']],
    ],
  )
})

receipts('is a file with the words of the page, and without codes and words of operators', () => {
  const file = receiptFile(receiptWith({ checkedAt, stillFound: { 'topic calls': 3 } as never }), ['crm'])
  assert.is(file.state, 'sent, 1 consumer has confirmed')
  assert.is(
    file.verdict,
    'The bridge has nothing personal left. Kafka may keep data in 1 place until 14 Feb 2026, then deletes it by itself. Somebody must act on 3 things.',
  )
  assert.not.match(JSON.stringify(file), /--backup-days|topic calls|oplog|event-topics|partition|RETENTION_DAYS/)
})

for (const [ticket, name] of [
  ['GDPR-117', 'receipt-GDPR-117-2026-02-01.json'],
  ['../Case 4: "Ü"', 'receipt-Case-4-2026-02-01.json'],
  [undefined, 'receipt-c0ffee-2026-02-01.json'],
] as const)
  receipts(`is the file ${name}`, () =>
    assert.is(receiptFileName({ ...receiptWith({}), ...(ticket && { ticket }) }), name),
  )

receipts('is found by a part of the ticket, by its id and by its day', () => {
  const receipt = receiptWith({ ticket: 'GDPR-117' as never })
  const found = ['', 'gdpr', '117 ', 'c0ff', '2026-02-01', '1 feb', 'GDPR-118', '2026-02-02']
  assert.equal(
    found.filter((text) => isReceiptOf(receipt, text)),
    found.slice(0, 6),
  )
})

receipts.run()
