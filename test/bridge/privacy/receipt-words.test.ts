import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { receiptLines } from '../../../src/app/terminal/erase.ts'
import { type ReceiptFacts, receiptWords } from '../../../src/bridge/privacy/receipt-words.ts'
import { type Retention, remainsOf } from '../../../src/bridge/privacy/remains.ts'
import { receipt } from './erase/given-erasures.ts'

const requestedAt = new Date('2026-01-31T10:00:00Z')
const checkedAt = '2026-02-01T10:00:00Z'
const factsWith = (more: Partial<ReceiptFacts>, kept: Retention = { retentionDays: 14 }): ReceiptFacts => ({
  state: 'published',
  found: { chats: 2, enrichments: 1 },
  remains: remainsOf(requestedAt, kept),
  ...more,
})
const wordsOf = (...facts: Parameters<typeof factsWith>) => receiptWords(factsWith(...facts), (day) => `on ${day}`)
const cells = (rows: ReadonlyArray<object>) => rows.map((row) => Object.values(row))

const receipts = suite('a receipt in words')

receipts('is data: what remains in which store is a code with a day or a condition, and who must act', () => {
  assert.equal(remainsOf(requestedAt, { retentionDays: 14, backupDays: 30 }), [
    { store: 'event-topics', until: '2026-02-14' },
    { store: 'bot-replies', until: '2026-02-07' },
    { store: 'quarantine', until: '2026-02-14' },
    { store: 'dead-letters', until: '2026-02-14' },
    { store: 'enrichments', until: '2026-02-02' },
    { store: 'keys-of-removed-enrichments', endsWhen: 'documents-removed', who: 'operator' },
    { store: 'broker-disks', endsWhen: 'segment-rolled' },
    { store: 'oplog', endsWhen: 'space-reused' },
    { store: 'backups', who: 'owner', until: '2026-03-02' },
    { store: 'consumer-copies', endsWhen: 'consumer-confirms', who: 'consumer' },
  ])
})

receipts('names each store, until when, and who must act', () => {
  const { mustAct, byItself } = wordsOf({}, { retentionDays: 14, backupDays: 30 })
  assert.equal(cells(mustAct), [
    ['Names of removed details, if a team used an address as the name', 'No date', 'An operator removes them'],
    ['Backups of Kafka and MongoDB', 'on 2026-03-02', 'Whoever keeps the backups deletes them then'],
    ['Copies that consumers made', 'Each consumer has confirmed', 'The owner of each consumer that has not confirmed'],
  ])
  const nobody = 'Nobody: it happens by itself'
  assert.equal(cells(byItself), [
    ['Events in Kafka, not encrypted', 'on 2026-02-14', nobody],
    ['Replies of the bot, in Kafka', 'on 2026-02-07', nobody],
    ['Requests in quarantine', 'on 2026-02-14', nobody],
    ['Dead letters', 'on 2026-02-14', nobody],
    ['Details that teams added, in Kafka', 'on 2026-02-02', nobody],
    ['Deleted data on the disks of Kafka', 'Kafka begins a new file', nobody],
    ['Deleted data in the files of MongoDB', 'MongoDB uses the space again', nobody],
  ])
})

receipts('says so if something remains for ever, or for an unknown time', () => {
  const { mustAct, verdict } = wordsOf({}, { retentionDays: 'forever' })
  assert.equal(
    ['Events in Kafka, not encrypted', 'Backups of Kafka and MongoDB'].map(
      (store) => mustAct.find(({ what }) => what === store)?.until,
    ),
    ['For ever', 'Not stated'],
  )
  assert.match(verdict, 'Kafka may keep data in 4 places until on 2026-02-14, then')
})

receipts('names what is newer than the erasure, which nobody must remove, and ids without a document', () => {
  const { newer, verdict } = wordsOf({
    checkedAt,
    stillFound: {},
    publishedSince: { 'view chats': 3, 'view enrichments': 1, 'topic enrichments': 2 },
    unnamed: 1,
  })
  assert.equal(
    newer.map(({ what }) => what),
    [
      'Chats: 3 newer than the erasure',
      'Details that teams added: 1 newer than the erasure',
      'Details that teams added, in Kafka: 2 newer than the erasure',
    ],
  )
  assert.is(
    verdict,
    'No document named an id of the request: check it. The bridge has nothing personal left. Some data is newer than the erasure. Somebody must act on 3 things.',
  )
})

const dated = (words: ReturnType<typeof wordsOf>) =>
  words.byItself.filter(({ until }) => until.startsWith('on ')).map(({ what }) => what)

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
    const words = wordsOf({ checkedAt, stillFound })
    assert.equal(dated(words), topics)
    assert.ok(words.byItself.some(({ what }) => what === 'Deleted data in the files of MongoDB'))
  })

receipts('rules out no topic while a part of the erasure is not read', () => {
  assert.is(dated(wordsOf({ checkedAt, stillFound: { markers: 2 } })).length, 5)
})

receipts('asks somebody to act on what a check should not have found', () => {
  const stillFound = {
    markers: 2,
    'view sessions': 3,
    'collection chats_old': 1,
    'collection archive-old': 4,
    'topic archive-chats': 1,
    'topic chats': 2,
  }
  const { mustAct } = wordsOf({ checkedAt, stillFound })
  assert.equal(
    mustAct.slice(0, 5).map(({ what }) => what),
    [
      'Parts of the erasure: 2 not read yet',
      'Sessions: 3 documents still found',
      'Copy of a view: chats_old: 1 document still found',
      'Copy of a view: archive-old: 4 documents still found',
      'Archive, encrypted: 1 key not destroyed yet',
    ],
  )
})

for (const [name, more, bridge, kafka, acts] of [
  [
    'before a check',
    {},
    'Nobody has checked yet what is left.',
    ' Kafka may keep data in 5 places until on 2026-02-14, then deletes it by itself.',
    'Somebody must act on 3 things.',
  ],
  [
    'while events may be in the log',
    { checkedAt, stillFound: { 'topic calls': 3 } },
    'The bridge has nothing personal left.',
    ' Kafka may keep data in 1 place until on 2026-02-14, then deletes it by itself.',
    'Somebody must act on 3 things.',
  ],
  [
    'after a clean check',
    { checkedAt, stillFound: {} },
    'The bridge has nothing personal left.',
    '',
    'Somebody must act on 3 things.',
  ],
  [
    'if only the archive is left',
    { checkedAt, stillFound: { 'topic archive-chats': 1 } },
    'The bridge has nothing personal left, except in the archive, which can still be read.',
    '',
    'Somebody must act on 4 things.',
  ],
  [
    'if documents are left',
    { checkedAt, stillFound: { 'view chats': 1 } },
    'The bridge has not erased everything yet.',
    '',
    'Somebody must act on 4 things.',
  ],
  [
    'if documents and the archive are left',
    { checkedAt, stillFound: { 'view chats': 1, 'topic archive-chats': 1 } },
    'The bridge has not erased everything yet.',
    '',
    'Somebody must act on 5 things.',
  ],
  [
    'if one thing is newer',
    { checkedAt, stillFound: {}, publishedSince: { 'view chats': 1 } },
    'The bridge has nothing personal left. Some data is newer than the erasure.',
    '',
    'Somebody must act on 3 things.',
  ],
  [
    'if two ids of the request have no document',
    { checkedAt, stillFound: {}, unnamed: 2 },
    'No document named 2 ids of the request: check it. The bridge has nothing personal left.',
    '',
    'Somebody must act on 3 things.',
  ],
  [
    'if it was interrupted',
    { state: 'started', remains: [] },
    'The erasure was interrupted: erase the person again to finish it.',
    '',
    'Nobody must act.',
  ],
] as const)
  receipts(`begins with a verdict ${name}`, () => assert.is(wordsOf(more).verdict, `${bridge}${kafka} ${acts}`))

for (const [name, more, chats, archive] of [
  ['before a check', {}, 'Not checked yet', 'Not checked yet'],
  [
    'after a check that found nothing',
    { checkedAt, stillFound: {} },
    'Nothing personal is left; ids, times and counts stay',
    'Unreadable for ever: its keys are destroyed',
  ],
  [
    'after a check that found documents and keys',
    {
      checkedAt,
      stillFound: { 'view chats': 1, 'topic archive-chats': 2, 'topic archive-clients': 1, 'topic chats': 4 },
    },
    '1 document still found: check again, then erase again',
    '3 keys not destroyed yet: an operator starts the archiver',
  ],
] as const)
  receipts(`says what was cleaned ${name}`, () => {
    const enrichments = chats === 'Not checked yet' ? chats : 'Nothing is left'
    assert.equal(cells(wordsOf(more).cleaned), [
      ['Chats', 2, chats],
      ['Details that teams added', 1, enrichments],
      ['Archive, encrypted', undefined, archive],
    ])
  })

/** As an earlier version wrote them. */
const sentences = [
  { where: 'event topics', until: '2026-02-14: the archiver deletes what is archived and older than RETENTION_DAYS' },
  { where: 'backups of Kafka and MongoDB, and copies that consumers made', until: '2026-03-02: you delete them' },
]

receipts('of an earlier version is shown with its sentences as they stand', () => {
  const earlier = { ...receipt('e1', 31, { state: 'published' }), remains: sentences as never }
  const { inWords, mustAct, byItself, verdict } = wordsOf({ remains: sentences, checkedAt, stillFound: {} })
  assert.equal([inWords, mustAct, byItself], [sentences, [], []])
  assert.is(verdict, 'The bridge has nothing personal left. What remains is said in the words of an earlier version.')
  const lines = receiptLines(earlier).join('\n')
  for (const { where, until } of sentences) assert.match(lines, new RegExp(`${where} +${until}`))
})

receipts('of an earlier version says who must act only if a check found something', () => {
  const { verdict } = wordsOf({ remains: sentences.slice(0, 1), checkedAt, stillFound: { 'view chats': 1 } })
  assert.is(
    verdict,
    'The bridge has not erased everything yet. Somebody must act on 1 thing. What remains is said in the words of an earlier version.',
  )
})

receipts('has the codes of a later version as they are', () => {
  const remains = [
    { store: 'a-new-store', endsWhen: 'somebody-acts', who: 'somebody' },
    { store: 'constructor', endsWhen: 'valueOf', who: 'somebody' },
  ]
  assert.equal(cells(wordsOf({ remains }).mustAct), [
    ['a-new-store', 'somebody-acts', 'somebody'],
    ['constructor', 'valueOf', 'somebody'],
  ])
})

receipts('is on the terminal in the same words, with days that can be sorted', () => {
  const complete = receipt('e1', 31, {
    state: 'complete',
    completedAt: requestedAt,
    checkedAt: requestedAt,
    stillFound: {},
    remains: [...remainsOf(requestedAt, { retentionDays: 14, backupDays: 30 })],
  })
  assert.equal(receiptLines(complete), [
    'Erasure e1 of acme: complete, requested by retainDays at 2026-01-31T00:00:00.000Z.',
    'Complete since 2026-01-31T10:00:00.000Z.',
    'The bridge has nothing personal left. Somebody must act on 3 things.',
    'Somebody must act on:',
    '  Names of removed details, if a team used an address as the name  No date                      An operator removes them',
    '  Backups of Kafka and MongoDB                                     2026-03-02                   Whoever keeps the backups deletes them then',
    '  Copies that consumers made                                       Each consumer has confirmed  The owner of each consumer that has not confirmed',
    'Goes by itself:',
    '  Deleted data on the disks of Kafka    Kafka begins a new file',
    '  Deleted data in the files of MongoDB  MongoDB uses the space again',
  ])
})

receipts.run()
