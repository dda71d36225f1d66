import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { IncomingRecord } from '../../../src/bridge/domain/log/record.ts'
import { erasedEnrichments, nameOfErased } from '../../../src/bridge/domain/person/erased.ts'
import { enrichmentHandler } from '../../../src/bridge/views/enrichment-handler.ts'
import { evolveEnrichment, type RecordedEnrichment, readEnrichment } from '../../../src/bridge/views/enrichments.ts'

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
    E.right({ ...place, key: 'acme/email:a:b@example.com', value: { crmLink: 'https://crm.example.com' } }),
  ],
  ['without a value', record('acme/clientId:1', null), E.right({ ...place, key: 'acme/clientId:1', value: null })],
  [
    'that is null in JSON',
    record('acme/clientId:1', 'null'),
    E.right({ ...place, key: 'acme/clientId:1', value: null }),
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
    'with a wrong part',
    record('acme/clientId:1', '{"crmLink":1,"enableAssign":"yes"}'),
    E.left({ cause: 'contract', detail: 'enableAssign: expected true or false; crmLink: expected text' }),
  ],
  [
    'with misspelt parts',
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

enrichments('an unreadable record becomes a dead letter after the others are stored', async () => {
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
  ]
  const partition = { isCurrent: () => true, done: () => {}, pause: () => () => {} }
  await handle({ topic: 'enrichments', partition: 2, records }, partition)
  assert.equal(done, [
    ['acme/clientId:2'],
    [7, 'not-json', 'value: expected JSON'],
    [9, 'unknown-account', 'key: expected an account of this bridge'],
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
