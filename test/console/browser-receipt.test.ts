import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { remainsOf } from '../../src/bridge/privacy/erase/plan.ts'
import {
  cleanedStores,
  isReceiptOf,
  receiptFile,
  receiptFileName,
  remainingStores,
  verdictOf,
} from '../../src/console/browser/receipt.ts'

const requestedAt = new Date('2026-01-31T10:00:00Z')
const receiptWith = (more: object, kept: Parameters<typeof remainsOf>[1] = { retentionDays: 14 }) => ({
  state: 'published',
  found: { chats: 2, enrichments: 1 },
  remains: remainsOf(requestedAt, kept),
  ...more,
})

const receipts = suite('a receipt in the words of a data protection officer')

receipts('names each store, until when, and who must act, first what does not go by itself', () => {
  const nobody = 'Nobody: it happens by itself'
  assert.equal(
    remainingStores(receiptWith({}, { retentionDays: 14, backupDays: 30 })).map((each) => Object.values(each)),
    [
      ['Names of removed details, if a team used an address as the name', 'No date', 'An operator removes them', true],
      ['Backups of Kafka and MongoDB', '2 Mar 2026', 'Whoever keeps the backups deletes them then', true],
      ['Copies that consumers made', '2 Mar 2026', 'The owner of each consumer that has not confirmed', true],
      ['Events in Kafka, not encrypted', '14 Feb 2026', nobody, false],
      ['Replies of the bot, in Kafka', '7 Feb 2026', nobody, false],
      ['Requests in quarantine', '14 Feb 2026', nobody, false],
      ['Dead letters', '14 Feb 2026', nobody, false],
      ['Details that teams added, in Kafka', '2 Feb 2026', nobody, false],
      ['Deleted data on the disks of Kafka', 'Kafka begins a new file', nobody, false],
      ['Deleted data in the files of MongoDB', 'MongoDB uses the space again', nobody, false],
    ],
  )
})

const rowOf = (receipt: object, store: string) => remainingStores(receipt).find((each) => each.store === store)

receipts('says so if something remains for ever, or for an unknown time', () => {
  const receipt = receiptWith({}, { retentionDays: 'forever' })
  assert.equal(
    ['Events in Kafka, not encrypted', 'Backups of Kafka and MongoDB', 'Copies that consumers made'].map(
      (store) => rowOf(receipt, store)?.until,
    ),
    ['For ever', 'Not stated', 'Not stated'],
  )
})

receipts(
  'names enrichments that were published since then, which nobody must remove, and ids without a document',
  () => {
    const receipt = receiptWith({
      checkedAt: '2026-02-01T10:00:00Z',
      stillFound: {},
      publishedSince: { 'view enrichments': 1, 'topic enrichments': 2 },
      unnamed: 1,
    })
    const rows = remainingStores(receipt).filter(({ store }) => store.includes('published since then'))
    assert.equal(
      rows.map(({ store, mustAct }) => [store, mustAct]),
      [
        ['Details that teams added: 1 published since then', false],
        ['Details that teams added, in Kafka: 2 published since then', false],
      ],
    )
    assert.match(
      verdictOf(receipt),
      /^No document named an id of the request: check it\. The bridge has nothing personal left\./,
    )
  },
)

const isDay = (until: string) => /^\d+ [A-Z][a-z]+ \d{4}$/.test(until)

const checkedAt = '2026-02-01T10:00:00Z'

for (const [name, stillFound, topics] of [
  ['found nothing', {}, []],
  [
    'found events and replies',
    { 'topic calls': 3, 'topic bot-replies': 4 },
    ['Events in Kafka, not encrypted', 'Replies of the bot, in Kafka'],
  ],
  ['found only keys of the archive', { 'topic archive-chats': 1 }, []],
] as const)
  receipts(`has only the topics that may have data after a check that ${name}`, () => {
    const rows = remainingStores(receiptWith({ checkedAt, stillFound }))
    assert.equal(
      rows.filter(({ until }) => isDay(until)).map(({ store }) => store),
      topics,
    )
    assert.ok(rows.some(({ store }) => store === 'Deleted data in the files of MongoDB'))
  })

receipts('rules out no topic while a part of the erasure is not read', () => {
  const stillFound = { 'markers that the projector has not taken in': 2 }
  assert.equal(remainingStores(receiptWith({ checkedAt, stillFound })).filter(({ until }) => isDay(until)).length, 5)
})

receipts('asks somebody to act on what a check should not have found', () => {
  const stillFound = {
    'markers that the projector has not taken in': 2,
    'view sessions': 3,
    'topic archive-chats': 1,
    'topic chats': 2,
  }
  assert.equal(
    remainingStores(receiptWith({ checkedAt, stillFound }))
      .slice(0, 3)
      .map(({ store, until, mustAct }) => [store, until, mustAct]),
    [
      ['Parts of the erasure: 2 not read yet', 'No date', true],
      ['Sessions: 3 documents still found', 'No date', true],
      ['Archive, encrypted: 1 key not destroyed yet', 'No date', true],
    ],
  )
})

for (const [name, more, bridge, kafka, acts] of [
  [
    'before a check',
    {},
    'Nobody has checked yet what is left.',
    ' Kafka may keep data in 5 places until 14 Feb 2026, then deletes it by itself.',
    '3 things',
  ],
  [
    'while events may be in the log',
    { checkedAt, stillFound: { 'topic calls': 3 } },
    'The bridge has nothing personal left.',
    ' Kafka may keep data in 1 place until 14 Feb 2026, then deletes it by itself.',
    '3 things',
  ],
  ['after a clean check', { checkedAt, stillFound: {} }, 'The bridge has nothing personal left.', '', '3 things'],
  [
    'if only the archive is left',
    { checkedAt, stillFound: { 'topic archive-chats': 1 } },
    'The bridge has nothing personal left, except in the archive, which can still be read.',
    '',
    '4 things',
  ],
  [
    'if documents are left',
    { checkedAt, stillFound: { 'view chats': 1 } },
    'The bridge has not erased everything yet.',
    '',
    '4 things',
  ],
  [
    'if it was interrupted',
    { state: 'started', remains: [] },
    'The erasure was interrupted: erase the person again to finish it.',
    '',
    '1 thing',
  ],
] as const)
  receipts(`begins with a verdict ${name}`, () =>
    assert.is(verdictOf(receiptWith(more)), `${bridge}${kafka} Somebody must act on ${acts}.`),
  )

receipts('shows a store that is newer than the page as the receipt names it', () => {
  const remains = [{ where: 'a new store', until: 'someone acts' }]
  assert.equal(remainingStores({ remains })[1], {
    store: 'a new store',
    until: 'someone acts',
    who: '',
    mustAct: false,
  })
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
        ['Details that teams added', 1, enrichments],
        ['Archive, encrypted', undefined, archive],
      ],
    )
  })

for (const [state, confirmedBy, words] of [
  ['started', [], 'interrupted'],
  ['published', [], 'sent, no consumer has confirmed'],
  ['published', ['crm'], 'sent, 1 consumer has confirmed'],
  ['complete', ['crm', 'warehouse'], 'complete, 2 consumers have confirmed'],
] as const)
  receipts(`is a file with the words of the page: ${words}`, () => {
    const receipt = receiptWith({ _id: 'e1', state, checkedAt, stillFound: { 'topic bot-replies': 4 } })
    assert.equal(receiptFile(receipt, confirmedBy), {
      _id: 'e1',
      state: words,
      checkedAt,
      verdict: verdictOf(receipt),
      remains: remainingStores(receipt),
      erased: cleanedStores(receipt),
      confirmedBy,
    })
  })

receipts('is a file without the words of operators', () => {
  const file = JSON.stringify(receiptFile(receiptWith({ checkedAt, stillFound: { 'topic calls': 3 } }), []))
  assert.not.match(file, /--backup-days|topic calls|oplog|initial sync|partition|RETENTION_DAYS/)
})

for (const [ticket, name] of [
  ['GDPR-117', 'receipt-GDPR-117-2026-01-31.json'],
  ['../Case 4: "Ü"', 'receipt-Case-4-2026-01-31.json'],
  [undefined, 'receipt-e1-2026-01-31.json'],
] as const)
  receipts(`is the file ${name}`, () =>
    assert.is(receiptFileName({ _id: 'e1', ticket, requestedAt: requestedAt.toISOString() }), name),
  )

receipts('is found by a part of the ticket, by its id and by its day', () => {
  const receipt = { _id: 'c0ffee', ticket: 'GDPR-117', requestedAt: requestedAt.toISOString() }
  const found = ['', 'gdpr', '117 ', 'c0ff', '2026-01-31', '31 jan', 'GDPR-118', '2026-02-01']
  assert.equal(
    found.filter((text) => isReceiptOf(receipt, text)),
    found.slice(0, 6),
  )
})

receipts.run()
