import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { keyOf, topicOf } from '../../../../contracts/topics.ts'
import { ErasureDocument } from '../../../../contracts/views/erasure.ts'
import type { Identity } from '../../../../src/bridge/domain/person/ids.ts'
import type { Erasures } from '../../../../src/bridge/mongo/erasures.ts'
import { erase, finishInterrupted, unfinishedErasures } from '../../../../src/bridge/privacy/erase/erase.ts'
import {
  erasureRequestText,
  isOfNobody,
  keysOf,
  markersOf,
  planOf,
  type Request,
} from '../../../../src/bridge/privacy/erase/plan.ts'
import { givenErasures, receipt } from './given-erasures.ts'

const erasing = suite('an erasure')

const request: Request = { accountId: 'acme', start: { kind: 'client', value: '1233' }, also: [] }
const links = [
  [
    { kind: 'chat', value: '2037' },
    { kind: 'client', value: '1233' },
    { kind: 'email', value: 'ann@example.com' },
  ],
] as const
const enriched = 'acme/email:ann@example.com'

/** MongoDB and Kafka in memory. Kafka is unavailable after the number of records in `left`. */
const world = () => {
  const log: string[] = []
  const state = { left: Number.POSITIVE_INFINITY }
  const append = async (what: string) => {
    if (state.left-- <= 0) return E.left({ kind: 'transient' as const, reason: 'away' })
    log.push(what)
    return E.right(undefined)
  }
  const { erasures, receipts } = givenErasures(links, {
    findDocuments: async function* () {
      yield { view: 'chats', document: { _id: 'acme/2037' } }
    },
    enriched: async (keys) => keys.filter((key) => key === enriched).map((_id) => ({ _id, value: {} })),
  })
  const ports: Parameters<typeof erase>[0] = {
    kafka: {
      append: ({ topic, key, value }) => append(`${topic} ${key} ${value}`),
      publish: (event) => append(`${topicOf(event).name} ${keyOf(event)} ${event.type}`),
    },
    erasures,
    clock: () => new Date('2026-01-31T10:00:00Z'),
  }
  const begin = async () => {
    const plan = await planOf(erasures, request)
    return erase(ports, request, plan, { requestedBy: 'officer', retention: { retentionDays: 14 } })
  }
  return { ports, log, receipts, state, begin }
}

const finish = async (ports: Parameters<typeof erase>[0]) =>
  finishInterrupted(ports, request, await unfinishedErasures(ports, request), { retention: { retentionDays: 14 } })

const all = [
  `enrichments ${enriched} null`,
  'chats acme/2037 ChatErased',
  'calls acme/2037 ChatErased',
  'offline-messages acme/2037 ChatErased',
  'bot-conversations acme/2037 ChatErased',
  'clients acme/1233 ClientErased',
]

erasing('is planned with the documents of each view, the copies, and the enrichments of the person', async () => {
  const { erasures } = givenErasures(links, {
    findDocuments: async function* () {
      for (const view of ['chats', 'chats', 'chats', 'clients'] as const) yield { view, document: { _id: 'x' } }
    },
    findCopies: async function* () {
      yield { collection: 'transcript-audits', document: { _id: 'x' } }
    } as Erasures['findCopies'],
    enriched: async (keys) => keys.filter((key) => key === enriched).map((_id) => ({ _id, value: {} })),
  })
  const plan = await planOf(erasures, request)
  assert.equal(plan.found, { chats: 3, clients: 1, 'transcript-audits': 1, enrichments: 1 })
  assert.equal(plan.enrichments, [enriched])
})

erasing('is planned with the ids of the request that no document names, however it was found', async () => {
  const { erasures } = givenErasures(links, {
    findDocuments: async function* () {
      yield { view: 'chats', document: { _id: 'x', chatId: '1' } }
    } as Erasures['findDocuments'],
    findCopies: async function* () {
      yield { collection: 'chats_old', document: { _id: 'x', clientId: '2' } }
    } as Erasures['findCopies'],
  })
  const also = (['chat', 'client'] as const).flatMap((kind) => ['1', '2'].map((value) => ({ kind, value })))
  assert.equal((await planOf(erasures, { ...request, also })).unnamed, [
    { kind: 'chat', value: '2' },
    { kind: 'client', value: '1' },
  ])
})

erasing('is of nobody only if there is neither a document nor a chat nor a client', async () => {
  const plan = await planOf(givenErasures([]).erasures, { ...request, start: { kind: 'email', value: 'a@b.c' } })
  const { person } = plan
  assert.equal(
    [
      plan,
      { ...plan, found: { chats: 1 } },
      { ...plan, person: { ...person, chats: ['1'] } },
      { ...plan, person: { ...person, clients: ['2'] } },
      { ...plan, person: { ...person, chats: ['1'], clients: ['2'] } },
    ].map(isOfNobody),
    [true, false, false, false, false],
  )
})

erasing('is named by whom it leaves out too, in any order', () => {
  const [one, two] = [
    { kind: 'chat', value: '1' },
    { kind: 'client', value: '2' },
  ] as const
  const texts = [undefined, [], [one], [two], [one, two], [two, one]].map((except) =>
    erasureRequestText(except === undefined ? request : { ...request, except }),
  )
  assert.is(texts[0], '["acme","client","1233",[]]')
  assert.is(texts[1], texts[0])
  assert.is(texts[4], texts[5])
  assert.is(new Set(texts).size, 4)
})

const written = (chats: string[], clients: string[], enrichments: string[] = []) =>
  ({ chats, clients, enrichments }) as Parameters<typeof markersOf>[1]

erasing('marks the chats of one client with the client, and those of several without', () => {
  const begun = receipt('x', 1)
  const clientsNamed = (...clients: string[]) => [
    ...new Set(
      markersOf(begun, written(['2037'], clients)).flatMap(({ type, data }) =>
        type === 'ChatErased' ? [data.clientId ?? 'none'] : [],
      ),
    ),
  ]
  assert.equal([clientsNamed(), clientsNamed('1'), clientsNamed('1', '2')], [['none'], ['1'], ['none']])
})

erasing('names its markers by the erasure, the topic, and the chat or client', () => {
  assert.equal(
    markersOf(receipt('x', 1), written(['2037'], ['1233'])).map(({ id }) => id as string),
    ['x-chats-2037', 'x-calls-2037', 'x-offline-messages-2037', 'x-bot-conversations-2037', 'x-clients-1233'],
  )
})

erasing('remembers each chat, client and enrichment once, and the other identities that were followed', () => {
  assert.equal(
    keysOf('acme', written(['2037'], ['1233'], [enriched]), { followed: links[0], identities: [], ofOthers: [] }),
    [
      { of: 'chat', key: 'acme/2037' },
      { of: 'client', key: 'acme/1233' },
      { of: 'enrichment', key: enriched },
      { of: 'email', key: 'acme/ann@example.com' },
    ],
  )
})

erasing('removes enrichments, then writes a marker on every topic of each chat and client', async () => {
  const { begin, log, receipts } = world()
  const receipt = await begin()
  assert.equal(log, all)
  assert.equal([receipt.state, receipt.markers, receipts.size, receipt.plan], ['published', 5, 1, undefined])
  assert.equal(ErasureDocument.decode(receipt), E.right(receipt))
})

erasing('says in its receipt how many ids of the request no document named', async () => {
  const { ports } = world()
  const receiptFor = async (also: Request['also']) => {
    const wanted = { ...request, also }
    const plan = await planOf(ports.erasures, wanted)
    return erase(ports, wanted, plan, { requestedBy: 'officer', retention: { retentionDays: 14 } })
  }
  const receipts = [await receiptFor([]), await receiptFor([{ kind: 'chat', value: '9999' }])]
  assert.equal(
    receipts.map(({ unnamed }) => unnamed),
    [undefined, 1],
  )
})

erasing('remembers the enrichment of an address that it does not follow, although there is none yet', async () => {
  const { ports } = world()
  const erasures = { ...ports.erasures, enriched: async () => [], hmac: async () => (text: string) => text }
  const plan = await planOf(erasures, request)
  const { keys } = await erase({ ...ports, erasures }, request, plan, {
    requestedBy: 'officer',
    retention: { retentionDays: 14 },
  })
  assert.equal(keys, ['chat acme/2037', 'client acme/1233', 'enrichment acme/email:ann@example.com'])
})

erasing(
  'that is killed at any point is finished by the same request, with the same markers and one receipt',
  async () => {
    for (let killedAfter = 0; killedAfter < all.length; killedAfter++) {
      const { ports, begin, log, receipts, state } = world()
      state.left = killedAfter
      const thrown = await begin().catch((error: Error) => error.message)
      assert.match(String(thrown), /Repeat the erasure/)
      state.left = Number.POSITIVE_INFINITY
      const [receipt] = await finish(ports)
      assert.equal([...new Set(log)], all)
      assert.equal([receipt?.state, receipts.size], ['published', 1])
      assert.equal(await finish(ports), [])
    }
  },
)

erasing(
  'that is run again plans again: a chat that is new since is erased too, and what was found first stays',
  async () => {
    const { ports, begin, log, state, receipts } = world()
    state.left = 1
    await begin().catch(() => undefined)
    state.left = Number.POSITIVE_INFINITY
    const later = {
      ...ports,
      erasures: {
        ...ports.erasures,
        // The first markers have emptied the documents, and the client has a new chat.
        findLinks: () => async () => [
          [
            { kind: 'client' as const, value: '1233' },
            { kind: 'chat' as const, value: '2050' },
          ],
        ],
      },
    }
    const [receipt] = await finish(later)
    assert.ok(all.every((line) => log.includes(line)))
    assert.ok(log.includes('chats acme/2050 ChatErased'))
    assert.equal([receipt?.markers, receipts.size], [9, 1])
  },
)

erasing('that is run again forgets a visitor number that somebody left out has used since', async () => {
  const except = [{ kind: 'client' as const, value: '1300' }]
  const without = { ...request, except }
  const shared: Array<ReadonlyArray<Identity>> = [
    [
      { kind: 'client', value: '1233' },
      { kind: 'visitor', value: '7' },
    ],
  ]
  const { erasures } = givenErasures(shared, { hmac: async () => (text) => text })
  const kafka = {
    append: async () => E.right(undefined),
    publish: async () => E.left({ kind: 'transient' as const, reason: 'away' }),
  }
  const ports = { kafka, erasures, clock: () => new Date('2026-01-31T10:00:00Z') }
  const asker = { requestedBy: 'officer', retention: { retentionDays: 14 } }
  await erase(ports, without, await planOf(erasures, without), asker).catch(() => undefined)
  const [begun] = await unfinishedErasures(ports, without)
  assert.equal(begun?.keys, ['client acme/1233', 'visitor acme/7'])
  // The marker has emptied the document of 1233, and 1300 came with the same number.
  shared.splice(0, 1, [
    { kind: 'client', value: '1300' },
    { kind: 'visitor', value: '7' },
  ])
  const again = { ...ports, kafka: { ...kafka, publish: async () => E.right(undefined) } }
  const [receipt] = await finishInterrupted(again, without, begun === undefined ? [] : [begun], asker)
  assert.equal(receipt?.keys, ['client acme/1233'])
})

erasing('has no names in its receipt after it is written', async () => {
  const { begin } = world()
  const { found, ...receipt } = await begin()
  assert.not.match(JSON.stringify(receipt), /2037|1233|ann@/)
})

erasing.run()
