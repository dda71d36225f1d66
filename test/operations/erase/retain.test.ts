import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ErasureDocument } from '../../../contracts/views/erasure.ts'
import type { Erasures, SilentPersons } from '../../../src/mongo/erasures.ts'
import { retainedBy, retainer, viewsAreCurrentIn } from '../../../src/operations/erase/retain.ts'

const retaining = suite('privacy.retainDays')

const dayMs = 24 * 60 * 60 * 1000
const now = new Date('2026-01-31T10:00:00Z').getTime()

/** An event of a chat this many days ago. Chats of the same client are one person. */
type Happened = { readonly chat: number; readonly daysAgo: number }
const clientOf = (chat: number) => chat % 4

/** MongoDB and Kafka in memory. Markers are folded at once. */
const world = (events: ReadonlyArray<Happened>) => {
  const receipts = new Map<string, ErasureDocument>()
  const markers: string[] = []
  const audited: string[] = []
  const erased = new Set<string>()
  const state = { away: false, now }
  const entries = events
    .map(({ chat, daysAgo }, i) => ({
      _id: String(i),
      time: new Date(now - daysAgo * dayMs),
      chatId: String(chat),
      clientId: String(clientOf(chat)),
    }))
    .sort((a, b) => a.time.getTime() - b.time.getTime())
  const erasures = {
    findLinks: () => async (identities) =>
      entries.flatMap(({ chatId, clientId }) => {
        const ids = [
          { kind: 'chat' as const, value: chatId },
          { kind: 'client' as const, value: clientId },
        ]
        return identities.some((it) => ids.some(({ kind, value }) => it.kind === kind && it.value === value))
          ? [ids]
          : []
      }),
    findCopies: async function* () {},
    emptyCopies: async () => {},
    findDocuments: async function* () {},
    enriched: async () => [],
    enrichedKeys: async function* () {},
    hmac: async () => (text) => createHmac('sha256', 'key').update(text).digest('base64url'),
    find: async ({ state: wanted }) => [...receipts.values()].filter((receipt) => receipt.state === wanted),
    save: async (receipt) => void receipts.set(receipt._id, receipt),
    claim: async (receipt) => {
      if (receipts.has(receipt._id)) return false
      receipts.set(receipt._id, receipt)
      return true
    },
    entries: async (_, { after, before }, limit) => {
      const due = entries.filter(({ time }) => time < before && (after === undefined || time > after))
      const last = due[limit - 1]?.time.getTime()
      const found = due.filter((entry, i) => i < limit || entry.time.getTime() === last)
      return found.map((entry) => ({ ...entry, ...(erased.has(entry.chatId) && { erased: true as const }) })) as never
    },
    lastEventAt: async (_, { chats, clients }) =>
      entries.findLast(({ chatId, clientId }) => chats.includes(chatId) || clients.includes(clientId))?.time,
    markers: async () => [],
    knownUntil: async () => undefined,
    keepKnownUntil: async () => {},
    newestErasure: async () => undefined,
    erasedAt: async () => new Map(),
  } as Erasures & SilentPersons
  const ports = {
    erasures,
    kafka: {
      append: async () => E.right(undefined),
      publish: async (event: { readonly id: string; readonly type: string; readonly subject: string }) => {
        if (state.away) return E.left({ kind: 'transient' as const, reason: 'away' })
        markers.push(event.id)
        if (event.type === 'ChatErased') erased.add(event.subject)
        return E.right(undefined)
      },
    },
    clock: () => new Date(state.now),
    recordAction: async ({ detail }: { readonly detail: string }) => {
      audited.push(detail)
      return E.right(undefined)
    },
    viewsAreCurrent: async () => true,
    kept: { retentionDays: 14 },
  }
  return { ports, receipts, markers, audited, erased, state }
}
const limited = { id: 'acme', retainDays: 30 }
const all = async ({ round }: ReturnType<typeof retainer>) => {
  while (await round(limited));
}

retaining('erases exactly the silent persons, once, even with two processes at the same time', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ chat: fc.nat(30), daysAgo: fc.integer({ min: 0, max: 60 }) }), { maxLength: 600 }),
      async (events) => {
        const { ports, erased, audited, markers, receipts } = world(events)
        await Promise.all([all(retainer(ports)), all(retainer(ports))])
        const last = new Map<number, number>()
        for (const { chat, daysAgo } of events)
          last.set(clientOf(chat), Math.min(daysAgo, last.get(clientOf(chat)) ?? Number.POSITIVE_INFINITY))
        const silent = events.flatMap(({ chat }) => ((last.get(clientOf(chat)) ?? 0) > 30 ? [String(chat)] : []))
        assert.equal([...erased].sort(), [...new Set(silent)].sort())
        const persons = new Set(silent.map((chat) => clientOf(Number(chat)))).size
        assert.equal([audited.length, receipts.size], [persons, persons])
        assert.is(markers.length, new Set(markers).size)
      },
    ),
    { numRuns: 50 },
  ),
)

retaining('continues after another process has died, with the same markers, and records who asked', async () => {
  const { ports, state, markers, receipts } = world([{ chat: 1, daysAgo: 31 }])
  state.away = true
  await retainer(ports)
    .round(limited)
    .catch(() => undefined)
  state.away = false
  await retainer(ports).finish()
  assert.equal(markers, [])
  state.now += 11 * 60_000
  await retainer(ports).finish()
  const [receipt, ...others] = receipts.values()
  assert.equal(others, [])
  assert.equal([receipt?.state, receipt?.requestedBy], ['published', retainedBy])
  assert.equal(
    markers,
    ['chats', 'calls', 'offline-messages', 'bot-conversations', 'clients'].map((topic) => `${receipt?._id}-${topic}-1`),
  )
})

retaining('erases nobody while the views are behind the log or the erasure cannot be recorded', async () => {
  const { ports, markers } = world([{ chat: 1, daysAgo: 31 }])
  await retainer({ ...ports, viewsAreCurrent: async () => false }).round(limited)
  const notRecorded = async () => E.left({ kind: 'transient' as const, reason: 'away' })
  await retainer({ ...ports, recordAction: notRecorded })
    .round(limited)
    .catch(() => undefined)
  assert.equal(markers, [])
})

retaining('knows from the offsets whether the views are behind', async () => {
  const ports = (done: number | undefined) => ({
    ranges: async () => new Map([[0, { low: 2, high: 10 }]]),
    offsetsAt: async () => new Map([[0, 8]]),
    committedOffsets: async () => new Map(done === undefined ? [] : [[0, done]]),
  })
  const results = await Promise.all([8, 7, undefined].map((done) => viewsAreCurrentIn(ports(done), () => now)()))
  assert.equal(results, [true, false, false])
})

retaining.run()
