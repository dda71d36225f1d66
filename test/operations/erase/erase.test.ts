import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { keyOf, topicOf } from '../../../contracts/topics.ts'
import { ErasureDocument } from '../../../contracts/views/erasure.ts'
import type { Erasures } from '../../../src/mongo/erasures.ts'
import { type ErasePorts, erase, resume, unfinishedErasures } from '../../../src/operations/erase/erase.ts'
import { planOf, type Request } from '../../../src/operations/erase/plan.ts'

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

/** MongoDB and Kafka in memory; Kafka is away from the given number of records on. */
const world = () => {
  const receipts = new Map<string, ErasureDocument>()
  const log: string[] = []
  const state = { left: Number.POSITIVE_INFINITY }
  const append = async (what: string) => {
    if (state.left-- <= 0) return E.left({ kind: 'transient' as const, reason: 'away' })
    log.push(what)
    return E.right(undefined)
  }
  const erasures: Erasures = {
    findLinks: () => async (identities) =>
      links.filter((link) =>
        link.some((it) => identities.some(({ kind, value }) => kind === it.kind && value === it.value)),
      ),
    findDocuments: async function* () {
      yield { view: 'chats', document: { _id: 'acme/2037' } }
    },
    enriched: async (keys) => keys.filter((key) => key === enriched).map((_id) => ({ _id, value: {} })),
    enrichedKeys: async function* () {},
    hmac: async () => (text) => `hmac of ${text.length}`,
    find: async (filter) =>
      [...receipts.values()].filter((receipt) =>
        Object.entries(filter).every(([name, value]) => receipt[name as 'state'] === value),
      ),
    save: async (receipt) => void receipts.set(receipt._id, receipt),
    markers: async () => [],
    knownUntil: async () => undefined,
    keepKnownUntil: async () => {},
    erasedAt: async () => new Map(),
  }
  const ports: ErasePorts = {
    kafka: {
      append: ({ topic, key, value }) => append(`${topic} ${key} ${value}`),
      publish: (event) => append(`${topicOf(event).name} ${keyOf(event)} ${event.type} ${event.id.split('-')[1]}`),
    },
    erasures,
    clock: () => new Date('2026-01-31T10:00:00Z'),
  }
  const begin = async () => {
    const plan = await planOf(erasures, request)
    return erase(ports, request, plan, { requestedBy: 'officer', kept: { retentionDays: 14 } })
  }
  return { ports, log, receipts, state, begin }
}

const all = [
  `enrichments ${enriched} null`,
  'chats acme/2037 ChatErased 0',
  'calls acme/2037 ChatErased 1',
  'offline-messages acme/2037 ChatErased 2',
  'bot-conversations acme/2037 ChatErased 3',
  'clients acme/1233 ClientErased 4',
]

erasing('removes enrichments, then writes a marker on every topic of each chat and client', async () => {
  const { begin, log, receipts } = world()
  const receipt = await begin()
  assert.equal(log, all)
  assert.equal([receipt.state, receipt.markers, receipts.size, receipt.plan], ['published', 5, 1, undefined])
  assert.equal(ErasureDocument.decode(receipt), E.right(receipt))
})

erasing(
  'that is killed anywhere is finished by the same request, with the same markers under one receipt',
  async () => {
    for (let killedAfter = 0; killedAfter < all.length; killedAfter++) {
      const { ports, begin, log, receipts, state } = world()
      state.left = killedAfter
      const thrown = await begin().catch((error: Error) => error.message)
      assert.match(String(thrown), /run the same command again/)
      state.left = Number.POSITIVE_INFINITY
      const [receipt] = await resume(ports, await unfinishedErasures(ports, request))
      assert.equal([...new Set(log)], all)
      assert.equal([receipt?.state, receipts.size], ['published', 1])
      assert.equal(await resume(ports, await unfinishedErasures(ports, request)), [])
    }
  },
)

erasing('names nobody in its receipt once it is written', async () => {
  const { begin } = world()
  const { found, ...receipt } = await begin()
  assert.not.match(JSON.stringify(receipt), /2037|1233|ann@/)
})

erasing.run()
