import { createHmac } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { SilentPersons } from '../../../../src/bridge/mongo/silent-persons.ts'
import { type Asked, detailOf } from '../../../../src/bridge/operations/audit.ts'
import {
  countedSince,
  coveredBy,
  openRelease,
  retainedBy,
} from '../../../../src/bridge/privacy/retain-days/erase-due.ts'
import {
  identitiesOf,
  type Limited,
  retainer,
  startRetaining,
} from '../../../../src/bridge/privacy/retain-days/retain.ts'
import { isDisputed } from '../../../../src/bridge/privacy/retain-days/silent-person.ts'
import { dayMs } from '../../../../src/bridge/shared/time.ts'
import { givenErasures } from '../erase/given-erasures.ts'
import { memorySilentPersons } from './memory-silent-persons.ts'

const retaining = suite('privacy.retainDays')

const now = new Date('2026-01-31T10:00:00Z').getTime()

/** An event of a chat this many days ago. Chats of the same client are one person. */
type Happened = { readonly chat: number; readonly daysAgo: number }
const clientOf = (chat: number) => (chat < 100 ? chat % 4 : chat)

/** MongoDB and Kafka in memory. Markers are folded at once. */
const world = (events: ReadonlyArray<Happened>) => {
  const markers: string[] = []
  const audited: string[] = []
  const erased = new Set<string>()
  const state = { away: false, now, ofMongo: now, appended: 0, persons: 0 }
  const entries = events
    .map(({ chat, daysAgo }, i) => ({
      _id: String(i),
      time: new Date(now - daysAgo * dayMs),
      chatId: String(chat),
      clientId: String(clientOf(chat)),
    }))
    .sort((a, b) => a.time.getTime() - b.time.getTime())
  const links = entries.map(({ chatId, clientId }) => [
    { kind: 'chat' as const, value: chatId },
    { kind: 'client' as const, value: clientId },
  ])
  const { erasures, receipts } = givenErasures(links, {
    hmac: async () => (text) => createHmac('sha256', 'key').update(text).digest('base64url'),
    serverTime: async () => state.ofMongo,
  })
  const { silentPersons, states } = memorySilentPersons(entries, {
    receipts,
    isErased: (chatId) => erased.has(chatId),
    persons: () => state.persons,
  })
  const ports = {
    erasures,
    silentPersons,
    log: { warn: () => {} },
    appendedSince: async () => new Map([['chats', new Map([[0, entries.length - state.appended]])]]),
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
    recordAction: async (asked: Asked) => {
      audited.push(detailOf(asked))
      return E.right(undefined)
    },
    viewsAreCurrent: async () => true,
    retention: { retentionDays: 14 },
  }
  return { ports, receipts, markers, audited, erased, state, states }
}
const limited = { id: 'acme', retainDays: 30 }
const oneRound = async ({ servers, round }: ReturnType<typeof retainer>) => {
  const known = await servers()
  return known !== undefined && (await round(limited, known))
}
const all = async (given: ReturnType<typeof retainer>) => {
  while (await oneRound(given));
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
  await oneRound(retainer(ports)).catch(() => undefined)
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
  await oneRound(retainer({ ...ports, viewsAreCurrent: async () => false }))
  const notRecorded = async () => E.left({ kind: 'transient' as const, reason: 'away' })
  await oneRound(retainer({ ...ports, recordAction: notRecorded })).catch(() => undefined)
  assert.equal(markers, [])
})

const many = (count: number): ReadonlyArray<Happened> =>
  Array.from({ length: count }, (_, i) => ({ chat: 100 + i, daysAgo: 31 + (i % 3) }))
const reasonOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'nothing was refused',
    (error: Error) => error.message,
  )

for (const [whose, ahead] of [
  ['this process', { now: now + 60 * dayMs }],
  ["MongoDB's server", { ofMongo: now + 60 * dayMs }],
  ['this process is behind, and that of', { now: now - 60 * dayMs }],
] as const)
  retaining(`erases nobody while the clock of ${whose} is wrong`, async () => {
    const { ports, state, erased } = world([
      { chat: 1, daysAgo: 31 },
      { chat: 2, daysAgo: 0 },
    ])
    Object.assign(state, ahead)
    assert.match(await reasonOf(oneRound(retainer(ports))), 'the clocks do not agree')
    assert.is(erased.size, 0)
    Object.assign(state, { now, ofMongo: now })
    await all(retainer(ports))
    assert.equal([...erased], ['1'])
  })

retaining('an account that is looked at for longer than a day is looked at to its end', async () => {
  const { ports, state, states } = world(many(450))
  const process = retainer(ports)
  while (await oneRound(process)) {
    state.now += 1.1 * dayMs
    state.ofMongo = state.now
    if (state.now > now + 10 * dayMs) break
  }
  assert.is(states.get('acme')?.waiting?.persons, 450)
})

/** Visits accounts without pauses until the condition is met. */
const visiting = async (
  { ports }: ReturnType<typeof world>,
  accounts: ReadonlyArray<Limited>,
  isMet: () => boolean,
  changed: Partial<Parameters<typeof retainer>[0]> = {},
) => {
  const pauses: number[] = []
  const { promise: met, resolve } = Promise.withResolvers<void>()
  const { stop, health } = startRetaining(accounts, {
    ...ports,
    ...changed,
    sleep: async (ms) => {
      pauses.push(ms)
      if (isMet() || pauses.length > 50) resolve()
      await setImmediate()
    },
    reasonOf: (error) => `${error}`,
  })
  await met
  await stop()
  return health()
}

const accounts = ['first', 'acme', 'last'].map((id) => ({ id, retainDays: 30 }))

retaining('an account that fails delays no other account, and readiness names it', async () => {
  const given = world([{ chat: 1, daysAgo: 31 }])
  const { silentPersons } = given.ports
  const entries: SilentPersons['entries'] = async (id, ...rest) => {
    if (id === 'first') throw new Error('took too long')
    return silentPersons.entries(id, ...rest)
  }
  const health = await visiting(given, accounts, () => given.erased.has('1'), {
    silentPersons: { ...silentPersons, entries },
  })
  assert.equal([...given.erased], ['1'])
  assert.equal(health, { ok: true, isLimited: true, reason: 'first: Error: took too long' })
})

retaining('an erasure that cannot go on delays no other erasure', async () => {
  const given = world([{ chat: 1, daysAgo: 31 }])
  given.state.away = true
  await oneRound(retainer(given.ports)).catch(() => undefined)
  given.state.away = false
  given.state.now += 11 * 60_000
  given.state.ofMongo = given.state.now
  const [stuck] = given.receipts.values()
  assert.is(stuck?.state, 'started')
  const publish: Parameters<typeof retainer>[0]['kafka']['publish'] = async () =>
    E.left({ kind: 'permanent', reason: 'refused' })
  const visited = new Set<string>()
  const { silentPersons } = given.ports
  const entries: SilentPersons['entries'] = async (id, ...rest) => {
    visited.add(id)
    return silentPersons.entries(id, ...rest)
  }
  await visiting(given, accounts, () => visited.has('last'), {
    kafka: { ...given.ports.kafka, publish },
    silentPersons: { ...silentPersons, entries },
  })
  assert.equal([...visited], ['first', 'acme', 'last'])
})

retaining('the servers are asked once for many accounts', async () => {
  const given = world([])
  const asked = { views: 0, appended: 0, visits: 0 }
  const { silentPersons } = given.ports
  const many = Array.from({ length: 1_000 }, (_, i) => ({ id: `a${i}`, retainDays: 30 }))
  await visiting(given, many, () => asked.visits >= 1_000, {
    viewsAreCurrent: async () => {
      asked.views += 1
      return true
    },
    appendedSince: async () => {
      asked.appended += 1
      return new Map()
    },
    silentPersons: {
      ...silentPersons,
      entries: async () => {
        asked.visits += 1
        return []
      },
    },
  })
  assert.ok(asked.views < 100, `${asked.views} times whether the views are current`)
  assert.ok(asked.appended < 100, `${asked.appended} times what the broker has received since`)
})

retaining('more than 20 persons wait for an operator, all of them, and one release erases them', async () => {
  const { ports, state, states, erased } = world(many(130))
  const first = retainer(ports)
  await all(first)
  await all(retainer(ports))
  assert.is(erased.size, 0)
  const waiting = states.get('acme')?.waiting
  assert.equal([waiting?.persons, waiting?.limit], [130, 20])
  await ports.silentPersons.keepRelease('acme', {
    before: waiting?.before ?? new Date(0),
    by: 'officer',
    at: new Date(),
  })
  await all(first)
  assert.is(erased.size, 130)
  assert.is(states.get('acme')?.waiting, undefined)
  assert.ok(states.get('acme')?.released?.doneAt)
  // Those of a release do not count as the persons of this day, and it covers nobody else.
  state.now += 1
  await all(retainer(ports))
  assert.is(states.get('acme')?.waiting, undefined)
})

retaining('a release covers only those who were counted', async () => {
  const { ports, states, erased } = world(many(30))
  await all(retainer(ports))
  await ports.silentPersons.keepRelease('acme', { before: new Date(now - 32.5 * dayMs), by: 'officer', at: new Date() })
  const process = retainer(ports)
  await all(process)
  assert.is(erased.size, 10 + 20, 'those of the release, and a day without an operator')
  assert.is(states.get('acme')?.waiting, undefined)
})

retaining('counts the persons of a day, also over a restart, and lets more go if the account is large', async () => {
  const { ports, state, erased, states } = world(
    [...many(25)].map((each, i) => (i < 15 ? each : { ...each, daysAgo: 29.5 })),
  )
  await all(retainer(ports))
  assert.is(erased.size, 15)
  state.now += 0.6 * dayMs
  state.ofMongo = state.now
  await all(retainer(ports))
  assert.equal([erased.size, states.get('acme')?.waiting?.persons], [15, 10])
  state.persons = 500
  await all(retainer(ports))
  assert.equal([erased.size, states.get('acme')?.waiting], [25, undefined])
})

retaining('a person whose newest record the broker has received lately waits until somebody releases it', async () => {
  const { ports, state, states, erased } = world([
    { chat: 100, daysAgo: 40 },
    { chat: 101, daysAgo: 35 },
  ])
  state.appended = 1
  await all(retainer(ports))
  assert.equal([[...erased], states.get('acme')?.waiting?.persons], [['100'], 1])
  const before = states.get('acme')?.waiting?.before ?? new Date(0)
  await ports.silentPersons.keepRelease('acme', { before, by: 'officer', at: new Date() })
  await all(retainer(ports))
  assert.equal([...erased].sort(), ['100', '101'])
})

retaining('looks at each chat or client of the entries once, and not at what is erased', () =>
  assert.equal(
    identitiesOf([
      { chatId: 'a', clientId: 'x' },
      { clientId: 'x' },
      { chatId: 'a' },
      { chatId: 'b', erased: true },
      { clientId: 'a' },
      {},
    ]),
    [
      { kind: 'chat', value: 'a' },
      { kind: 'client', value: 'x' },
      { kind: 'client', value: 'a' },
    ],
  ),
)

const day = (ago: number) => new Date(now - ago * dayMs)
const allowed = { before: day(30), by: 'officer', at: day(3) }
const due = new Map([
  ['old', { last: day(31) }],
  ['at the limit', { last: day(30) }],
])

for (const [what, state, open, covered, since] of [
  ['nothing was ever allowed', {}, undefined, [], day(1)],
  ['a release is open', { released: allowed }, allowed, ['old'], day(0)],
  ['a release ended long ago', { released: { ...allowed, doneAt: day(2) } }, undefined, [], day(1)],
  ['a release ended lately', { released: { ...allowed, doneAt: day(0.5) } }, undefined, [], day(0.5)],
] as const)
  retaining(`whom a release covers, and which erasures count: ${what}`, () => {
    const release = openRelease(state)
    assert.equal([release, coveredBy(release, due), countedSince(state, now)], [open, covered, since])
  })

const since = new Map([['chats', new Map([[0, 7]])]])
for (const [what, topic, partition, offset, disputed] of [
  ['an older record', 'chats', 0, 6, false],
  ['the first record of that time', 'chats', 0, 7, true],
  ['a partition without such records', 'chats', 1, 9, false],
  ['a topic without such records', 'calls', 0, 9, false],
] as const)
  retaining(`the broker disputes a silence or not: ${what}`, () =>
    assert.is(isDisputed([{ topic, partition, offset }], since), disputed),
  )

retaining.run()
