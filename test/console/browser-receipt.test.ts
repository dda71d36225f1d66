import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { cleanedStores, receiptFile, remainingStores, stillFoundIn } from '../../src/console/browser/receipt.ts'
import { remainsOf } from '../../src/operations/erase/plan.ts'

const requestedAt = new Date('2026-01-31T10:00:00Z')
const receiptWith = (more: object, kept: Parameters<typeof remainsOf>[1] = { retentionDays: 14 }) => ({
  state: 'published',
  found: { chats: 2, enrichments: 1 },
  remains: remainsOf(requestedAt, kept),
  ...more,
})

const receipts = suite('a receipt in the words of a data protection officer')

receipts('names each store, until when, and who must act', () => {
  const nobody = 'Nobody: it happens by itself'
  assert.equal(
    remainingStores(receiptWith({}, { retentionDays: 14, backupDays: 30 }), ['warehouse']).map((each) =>
      Object.values(each),
    ),
    [
      ['Events in Kafka, not encrypted', '14 Feb 2026', 'Nobody, while the archiver runs'],
      ['Replies of the bot, in Kafka', '7 Feb 2026', nobody],
      ['Requests in quarantine', '14 Feb 2026', nobody],
      ['Dead letters', '14 Feb 2026', nobody],
      ['Enrichments of teams, in Kafka', '2 Feb 2026', nobody],
      ['Keys of removed enrichments, which may be an address', 'An operator removes them', 'An operator'],
      ['Deleted data on the disks of Kafka', 'Kafka begins a new file, a day after the data at the earliest', nobody],
      [
        'Deleted data in the files of MongoDB',
        'MongoDB uses the space again',
        'Nobody; an operator ends it at once by a new initial sync',
      ],
      ['Backups of Kafka and MongoDB', '2 Mar 2026', 'Whoever keeps the backups deletes them then'],
      [
        'Copies that consumers made',
        '2 Mar 2026. Confirmed by warehouse',
        'The owner of each consumer that has not confirmed',
      ],
    ],
  )
})

const rowOf = (receipt: object, store: string) => remainingStores(receipt, []).find((each) => each.store === store)

receipts('says so if something remains for ever, or for an unknown time', () => {
  const receipt = receiptWith({}, { retentionDays: 'forever' })
  assert.equal(
    ['Events in Kafka, not encrypted', 'Backups of Kafka and MongoDB', 'Copies that consumers made'].map(
      (store) => rowOf(receipt, store)?.until,
    ),
    [
      'For ever, because RETENTION_DAYS is forever',
      'As long as you keep them: the erasure did not state the days',
      'No consumer has confirmed yet',
    ],
  )
})

receipts('has no topic any more once a check was complete, and still the files and copies', () => {
  const stores = remainingStores(receiptWith({ state: 'complete' }), []).map(({ store }) => store)
  assert.equal(stores, [
    'Keys of removed enrichments, which may be an address',
    'Deleted data on the disks of Kafka',
    'Deleted data in the files of MongoDB',
    'Backups of Kafka and MongoDB',
    'Copies that consumers made',
  ])
})

receipts('shows a store that is newer than the page as the receipt names it', () => {
  const remains = [{ where: 'a new store', until: 'someone acts' }]
  assert.equal(remainingStores({ remains }, [])[0], { store: 'a new store', until: 'someone acts', who: '' })
})

for (const [name, more, chats, archive] of [
  ['before a check', {}, 'Not checked yet', 'Not checked yet'],
  [
    'after a check that found nothing',
    { checkedAt: '2026-02-01T10:00:00Z', stillFound: {} },
    'Nothing personal is left; ids, times and counts stay',
    'Unreadable for ever: its keys are destroyed',
  ],
  [
    'after a check that found documents and keys',
    {
      checkedAt: '2026-02-01T10:00:00Z',
      stillFound: { 'view chats': 1, 'topic archive-chats': 2, 'topic archive-clients': 1, 'topic chats': 4 },
    },
    '1 document still found: check again, then erase again',
    '3 keys not destroyed yet: an operator starts the archiver',
  ],
] as const)
  receipts(`says what was cleaned ${name}`, () => {
    const enrichments = chats === 'Not checked yet' ? chats : 'Nothing is left'
    assert.equal(
      cleanedStores(receiptWith(more)).map((each) => Object.values(each)),
      [
        ['Chats', 2, chats],
        ['Enrichments of teams', 1, enrichments],
        ['Archive, encrypted', undefined, archive],
      ],
    )
  })

receipts('says what each count of the last check means', () => {
  const stillFound = {
    'topic bot-replies': 4,
    'topic chats': 2,
    'topic archive-chats': 1,
    'view sessions': 3,
    'a new place': 1,
  }
  assert.equal(
    stillFoundIn(receiptWith({ stillFound })).map(({ what, count, means }) => [what, count, means]),
    [
      ['Replies of the bot, in Kafka', 4, 'partitions that have records from before the erasure, of anybody'],
      ['Events in Kafka: chats', 2, 'chats and clients of the person that may have events before the erasure'],
      ['Archive of chats', 1, 'chats and clients whose keys are not destroyed yet'],
      ['Sessions', 3, 'documents that have personal data'],
      ['a new place', 1, ''],
    ],
  )
  assert.equal(stillFoundIn(receiptWith({})), [])
})

for (const [state, confirmedBy, words] of [
  ['started', [], 'interrupted'],
  ['published', [], 'sent, no consumer has confirmed'],
  ['published', ['crm'], 'sent, 1 consumer has confirmed'],
  ['complete', ['crm', 'warehouse'], 'complete, 2 consumers have confirmed'],
] as const)
  receipts(`is a file with the words of the page: ${words}`, () => {
    const receipt = receiptWith({ state, stillFound: { 'topic bot-replies': 4 } })
    assert.equal(receiptFile(receipt, confirmedBy), {
      state: words,
      erased: cleanedStores(receipt),
      stillFound: stillFoundIn(receipt),
      remains: remainingStores(receipt, confirmedBy),
      confirmedBy,
      record: receipt,
    })
  })

receipts.run()
