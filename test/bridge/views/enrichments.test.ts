import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { IncomingRecord } from '../../../src/bridge/domain/log/record.ts'
import { erasedEnrichments, nameOfErased } from '../../../src/bridge/domain/person/erased.ts'
import {
  enrichmentHandler,
  evolveEnrichment,
  type RecordedEnrichment,
  readEnrichment,
} from '../../../src/bridge/views/enrichments.ts'

const enrichments = suite('enrichments')

const record = (key: string | null, value: string | Buffer | null, offset = 3): IncomingRecord => ({
  topic: 'enrichments',
  partition: 2,
  offset,
  timestamp: 0,
  key: key === null ? null : Buffer.from(key),
  value: value === null ? null : Buffer.from(value),
  headers: {},
})
const place = { topic: 'enrichments', partition: 2, offset: 3 } as const
const expectedKey =
  'key: expected <account id>/<field>:<value>, field one of userToken, clientId, email, phone, visitorNumber, chatId'

const table: ReadonlyArray<readonly [string, IncomingRecord, unknown]> = [
  [
    'with a value',
    record('acme/email:a:b@example.com', '{"crmLink":"https://crm.example.com"}'),
    E.right({
      recorded: { ...place, key: 'acme/email:a:b@example.com', value: { crmLink: 'https://crm.example.com' } },
    }),
  ],
  [
    'without a value',
    record('acme/clientId:1', null),
    E.right({ recorded: { ...place, key: 'acme/clientId:1', value: null } }),
  ],
  [
    'that is null in JSON',
    record('acme/clientId:1', 'null'),
    E.right({ recorded: { ...place, key: 'acme/clientId:1', value: null } }),
  ],
  ['without a key', record(null, '{}'), E.left({ cause: 'invalid', detail: expectedKey })],
  ['of another field', record('acme/name:Ann', '{}'), E.left({ cause: 'invalid', detail: expectedKey })],
  ['that is not JSON', record('acme/clientId:1', '{'), E.left({ cause: 'not-json', detail: 'value: expected JSON' })],
  [
    'that is not UTF-8',
    record('acme/clientId:1', Buffer.from([0x22, 0xff, 0x22])),
    E.left({ cause: 'not-utf8', detail: 'value: expected valid UTF-8' }),
  ],
  [
    'with a key twice',
    record('acme/clientId:1', '{"crmLink":"https://a","crmLink":"https://b"}'),
    E.left({ cause: 'repeated-key', detail: 'crmLink: expected one value, not several' }),
  ],
  [
    'that nests a million deep',
    record('acme/clientId:1', '['.repeat(1_000_000)),
    E.left({ cause: 'too-deep', detail: 'value: expected JSON nested at most 64 deep' }),
  ],
  [
    'in which nothing fits',
    record('acme/clientId:1', '{"crmLink":1,"enableAssign":"yes"}'),
    E.left({ cause: 'contract', detail: 'enableAssign: expected true or false; crmLink: expected text' }),
  ],
  [
    'in which every part is misspelt',
    record('acme/clientId:1', '{"crm_link":"https://crm.example.com","contactInfo":{"mail":"a"},"customData":[]}'),
    E.left({
      cause: 'contract',
      detail:
        'contactInfo.mail: expected nothing, there is no such field; crm_link: expected nothing, there is no such field',
    }),
  ],
]
for (const [name, given, expected] of table) {
  enrichments(`a record ${name} is read`, () => {
    assert.equal(readEnrichment(given), expected)
  })
}

const link = 'https://crm.example.com/7'
const parts: ReadonlyArray<readonly [title: string, given: object, shown: object, problems?: string]> = [
  [
    'every field of the service',
    {
      customData: [{ title: 'Plan', content: 'Gold', key: 'plan', link }],
      contactInfo: { name: 'Ann', phone: '1', email: 'a@example.com', description: 'VIP' },
    },
    {
      customData: [{ title: 'Plan', content: 'Gold', key: 'plan', link }],
      contactInfo: { name: 'Ann', phone: '1', email: 'a@example.com', description: 'VIP' },
    },
  ],
  ['an item with its content alone', { customData: [{ content: 'VIP' }] }, { customData: [{ content: 'VIP' }] }],
  [
    'null for what is not known',
    {
      customData: [{ title: null, content: 'VIP', key: null, link: null }],
      contactInfo: { name: null, email: null },
      enableAssign: null,
      crmLink: null,
      page: null,
    },
    { customData: [{ content: 'VIP' }] },
  ],
  ['null for everything', { customData: null, contactInfo: null }, {}],
  [
    'an http link',
    { customData: [{ content: 'a', link: 'HTTP://a/b c'.replace(' ', '%20') }] },
    { customData: [{ content: 'a', link: 'HTTP://a/b%20c' }] },
  ],
  ...['javascript:alert(1)', 'ftp://example.com', '//example.com', 'https://', 'https://a b', ' https://a', 7, {}].map(
    (wrong) =>
      [
        `the link ${JSON.stringify(wrong)}`,
        { customData: [{ title: 'Plan', content: 'Gold', link: wrong }] },
        { customData: [{ title: 'Plan', content: 'Gold' }] },
        'customData.0.link: expected an address that begins with http:// or https://',
      ] as const,
  ),
  [
    'items without content between others',
    { customData: [{ title: 'a' }, { content: 'b' }, 'c', { content: null, link }, { content: 'd' }, null] },
    { customData: [{ content: 'b' }, { content: 'd' }] },
    'customData.0.content: expected text; customData.2: expected an object; customData.3.content: expected text; customData.5: expected an object',
  ],
  [
    'unknown fields at every level',
    { vip: true, customData: [{ content: 'a', colour: 'red' }], contactInfo: { name: 'Ann', 'e.mail': 'a' } },
    { customData: [{ content: 'a' }], contactInfo: { name: 'Ann' } },
    'customData.0.colour: expected nothing, there is no such field; contactInfo.e.mail: expected nothing, there is no such field; vip: expected nothing, there is no such field',
  ],
  [
    'a field with a very long name',
    { enableAssign: true, ['x'.repeat(300)]: 1 },
    { enableAssign: true },
    `${'x'.repeat(255)}: expected nothing, there is no such field`,
  ],
  [
    'a wrong part beside each kind of right one',
    { customData: 'Gold', contactInfo: { name: 1 }, enableAssign: 'yes', crmLink: link, page: { title: 'Shoes' } },
    { crmLink: link },
    'customData: expected an array; contactInfo.name: expected text; enableAssign: expected true or false; page.url: expected text',
  ],
]
for (const [title, given, value, problems] of parts)
  enrichments(`of a record with ${title}, agents see what fits`, () => {
    assert.equal(
      readEnrichment(record('acme/clientId:1', JSON.stringify(given))),
      E.right({
        recorded: { ...place, key: 'acme/clientId:1', value },
        ...(problems !== undefined && { problems }),
      }),
    )
  })

enrichments('a record of which nothing can be used is read in one pass for each level, however long it is', () => {
  const customData = Array.from({ length: 20_000 }, () => ({ title: 'a', link: 'x' }))
  const read = readEnrichment(record('acme/clientId:1', JSON.stringify({ customData, enableAssign: true })))
  assert.equal(E.isRight(read) && read.right.recorded.value, { enableAssign: true })
  assert.is(E.isRight(read) && read.right.problems?.length, 1000)
})

const recorded = (offset: number, value: RecordedEnrichment['value']): RecordedEnrichment => ({
  ...place,
  key: 'acme/clientId:1',
  offset,
  value,
})

enrichments('an older record does not restore a removed enrichment', () => {
  const removed = evolveEnrichment(evolveEnrichment(undefined, recorded(3, { enableAssign: true })), recorded(4, null))
  assert.equal(removed, { _id: 'acme/clientId:1', applied: { 'enrichments/2': 4 } })
  assert.is(evolveEnrichment(removed, recorded(3, { enableAssign: true })), removed)
})

enrichments('what cannot be read of records becomes a dead letter after the rest is stored', async () => {
  const done: unknown[] = []
  const handle = enrichmentHandler({
    storeEnrichments: async (given) => {
      done.push(given.map(({ key }) => key))
    },
    deadLetter: async ({ offset }, cause, detail) => {
      done.push([offset, cause, detail])
    },
    accountIds: new Set(['acme']),
    findErased: async () => new Set(),
  })
  const records = [
    record('acme/clientId:1', '{', 7),
    record('acme/clientId:2', '{}', 8),
    record('acne/clientId:2', '{}', 9),
    record('segment-marker', null, 10),
    record('acme/clientId:3', '{"enableAssign":true,"crmLink":7}', 11),
  ]
  const partition = { isCurrent: () => true, done: () => {}, pause: () => () => {} }
  await handle({ topic: 'enrichments', partition: 2, records }, partition)
  assert.equal(done, [
    ['acme/clientId:2', 'acme/clientId:3'],
    [7, 'not-json', 'value: expected JSON'],
    [9, 'unknown-account', 'key: expected an account of this bridge'],
    [11, 'contract', 'crmLink: expected text'],
  ])
})

for (const [what, erased, timestamp, isStored] of [
  ['by its key', { of: 'enrichment', key: 'acme/email:Ann@example.com' }, 99, false],
  ['by the address', { of: 'email', key: 'acme/ann@EXAMPLE.com' }, 99, false],
  ['and is published again', { of: 'email', key: 'acme/ann@example.com' }, 100, true],
  ['in another account', { of: 'email', key: 'other/ann@example.com' }, 99, true],
  ['but is another client', { of: 'client', key: 'acme/Ann@example.com' }, 99, true],
] as const)
  enrichments(`a person was erased ${what}`, async () => {
    const given: unknown[] = []
    const handle = enrichmentHandler({
      storeEnrichments: async (all) => void given.push(...all.map(({ key, value }) => [key, value])),
      deadLetter: async () => {},
      accountIds: new Set(['acme']),
      findErased: erasedEnrichments({
        newestErasure: async () => new Date(1_000),
        erasedAt: async (keys) =>
          new Map(
            keys.flatMap((key) =>
              nameOfErased(key) === nameOfErased(erased) ? [[nameOfErased(key), new Date(100)] as const] : [],
            ),
          ),
      }),
    })
    const partition = { isCurrent: () => true, done: () => {}, pause: () => () => {} }
    const published = { ...record('acme/email:Ann@example.com', '{}'), timestamp }
    await handle({ topic: 'enrichments', partition: 2, records: [published] }, partition)
    assert.equal(given, [['acme/email:Ann@example.com', isStored ? {} : null]])
  })

enrichments.run()
