import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import type { Instant } from '../../../contracts/primitives.ts'
import { overtakenMs } from '../../../contracts/views/applied.ts'
import { dated } from '../../../src/bridge/domain/dated.ts'
import { identity } from '../../../src/bridge/domain/identity.ts'
import { limits } from '../../../src/bridge/http/limits.ts'
import { advance, applyGuarded, type Guard, hasDigest } from '../../../src/bridge/views/applied.ts'
import { anEvent, at } from '../../support/given-events.ts'

const guard = suite('the guard of folded documents')

const place = { topic: 'chats', partition: 2, offset: 7 } as const
const recorded = { ...place, event: dated(anEvent('ChatAccepted', 'e1', at('10:00:00'))) }
const current = { applied: { 'chats/2': 6, 'calls/0': 9 }, seen: ['webhooks/e0'], name: 'before' }
const next = (given: { applied: Record<string, number>; seen: string[] }) => ({ ...given, name: 'after' })

guard('applies a record above the stored offset of its own partition', () => {
  assert.equal(applyGuarded(current, recorded, next), {
    applied: { 'chats/2': 7, 'calls/0': 9 },
    seen: ['webhooks/e0', 'webhooks/e1'],
    name: 'after',
  })
})

guard('returns the same document for a record at or below it', () => {
  for (const offset of [0, 5, 6]) assert.is(applyGuarded(current, { ...recorded, offset }, next), current)
})

const read = { 'chats/2': 6, 'chats/2/epoch': 3 }
for (const [name, applied, offset, epoch, expected] of [
  ['a later record of the same epoch', read, 7, 3, { 'chats/2': 7, 'chats/2/epoch': 3 }],
  ['the same record', read, 6, 3, undefined],
  ['a used offset in a newer epoch: the log has lost its end', read, 2, 4, { 'chats/2': 2, 'chats/2/epoch': 4 }],
  ['a later offset in an older epoch', read, 9, 2, undefined],
  ['a later record without an epoch', read, 7, undefined, { 'chats/2': 7, 'chats/2/epoch': 3 }],
  ['the same record without an epoch', read, 6, undefined, undefined],
  ['a later record after one without an epoch', { 'chats/2': 6 }, 7, 3, { 'chats/2': 7, 'chats/2/epoch': 3 }],
  ['the same record after it was read without its epoch', { 'chats/2': 6 }, 6, 3, undefined],
] as const)
  guard(`${name} is ${expected === undefined ? 'known' : 'new'}`, () => {
    const position = { topic: 'chats', partition: 2, offset } as const
    assert.equal(advance(applied, epoch === undefined ? position : { ...position, epoch }), expected)
  })

guard('finds a digest only where one begins', () => {
  const wanted = 'abcdefghijk'
  const across = `z${wanted.slice(0, -1)}` + `${wanted.slice(-1)}zzzzzzzzzz`
  assert.not.ok(hasDigest(across, wanted))
  assert.ok(hasDigest(across + wanted, wanted))
  assert.ok(hasDigest('zzzzzzzzzzaaaaaaaaaaaa', 'aaaaaaaaaaa'))
})

guard('moves only the offset for an event that was applied before', () => {
  const given = { ...current, seen: ['webhooks/e1', 'webhooks/e0'] }
  assert.equal(applyGuarded(given, recorded, next), { ...given, applied: { 'chats/2': 7, 'calls/0': 9 } })
})

/** The document after these events. The first event has the offset 0. */
const folded = (events: ReadonlyArray<DomainEvent>, from?: Guard & { name: string }) =>
  events.reduce<(Guard & { name: string }) | undefined>(
    (document, event, offset) =>
      applyGuarded(document, { topic: 'clients', partition: 0, offset, event: dated(event) }, (given) => ({
        ...given,
        name: `${document?.name ?? ''}${event.id} `,
      })),
    from,
  )
const numbered = (count: number) =>
  Array.from({ length: count }, (_, i) => anEvent('ClientUpdated', `${i}`, at('10:00:00')))

guard('remembers the newest 200 events by their ids, and earlier ones by their digests', () => {
  const document = folded(numbered(202))
  assert.equal(
    document?.seen,
    Array.from({ length: 200 }, (_, i) => `webhooks/${i + 2}`),
  )
  const digests = ['webhooks/0', 'webhooks/1'].map((event) => createHash('sha256').update(event).digest('base64url'))
  assert.is(document?.seenEarlier, digests.map((text) => text.slice(0, 11)).join(''))
})

guard('does not count an event again within the newest 10,200 events', () => {
  const events = numbered(10_200)
  const full = folded(events)
  assert.is(full?.seenEarlier?.length, 110_000)
  for (const repeated of [0, 1, 5_000, 9_999, 10_000, 10_199].map((i) => events[i]))
    assert.is(
      folded([repeated as DomainEvent], { ...(full as Guard & { name: string }), applied: {} })?.name,
      full?.name,
    )
  const [oldest, ...others] = [...events, ...numbered(10_201).slice(-1)]
  assert.ok(oldest)
  const after = folded([...others.slice(-1), oldest], { ...(full as Guard & { name: string }), applied: {} })
  assert.is(after?.name, `${full?.name}10200 0 `)
  assert.is(after?.seenEarlier?.length, 110_000)
})

guard('treats a document without its bookkeeping as one without applied events', () => {
  const made = { name: 'by hand' } as Guard & { name: string }
  assert.equal(applyGuarded(made, recorded, next), { applied: { 'chats/2': 7 }, seen: ['webhooks/e1'], name: 'after' })
})

const states = (...hashes: ReadonlyArray<string>) =>
  hashes.map((contentHash, i) => ({ ...anEvent('ClientUpdated', `${i}`, at('10:00:00')), contentHash }))

guard('does not count a repetition of the last content, but counts it after other content', () => {
  assert.is(folded(states('A', 'A', 'B', 'A', 'A'))?.name, '0 2 3 ')
  assert.equal(folded(states('A', 'A', 'B'))?.contentHash, 'B')
})

guard('recognizes a repetition when the bridge sends it again after other content', () => {
  const [first, repetition, other] = states('A', 'A', 'B')
  assert.ok(first && repetition && other)
  assert.is(folded([first, repetition, other, repetition])?.name, '0 2 ')
})

guard('compares content with the event just before, of any type, and not with an event without a hash', () => {
  const accepted = { ...anEvent('ChatAccepted', 'c', at('10:00:00')), contentHash: 'C' }
  const [first, last] = states('A', 'A')
  assert.ok(first && last)
  assert.is(folded([first, accepted, last])?.name, '0 c 1 ')
  const { contentHash: _, ...unhashed } = first
  assert.is(folded([first, { ...unhashed, id: 'u' as typeof first.id }, last])?.name, '0 u 1 ')
  const document: Guard = { applied: {}, seen: [], contentHash: 'A' }
  const after = applyGuarded(document, { ...place, event: dated(unhashed) }, (given) => ({ ...document, ...given }))
  assert.not.ok('contentHash' in after)
})

guard('counts as often as the content changes', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('A', 'B', 'C'), { minLength: 1, maxLength: 20 }), (hashes) => {
      const changes = hashes.flatMap((hash, i) => (hash === hashes[i - 1] ? [] : [`${i} `]))
      assert.is(folded(states(...hashes))?.name, changes.join(''))
    }),
  )
})

guard('applies a late event, unless the document has a newer one', () => {
  const late = { ...recorded, event: { ...recorded.event, receivedTime: recorded.event.time } }
  const withNewest = (lastEventAt: string) => ({ ...current, lastEventAt: lastEventAt as Instant })
  for (const time of ['09:59:59', '10:00:00']) assert.is(applyGuarded(withNewest(at(time)), late, next).name, 'after')
  const newer = withNewest(at('10:00:01'))
  assert.equal(applyGuarded(newer, late, next), {
    ...newer,
    applied: { 'chats/2': 7, 'calls/0': 9 },
    seen: ['webhooks/e0', 'webhooks/e1'],
  })
  assert.is(applyGuarded(newer, recorded, next).name, 'after')
})

guard('applies content that came before in an outdated late event only', () => {
  const update = (id: string, time: string, contentHash: string) => ({
    ...({ topic: 'clients', partition: 0 } as const),
    event: { ...dated(anEvent('ClientUpdated', id, at(time))), contentHash },
  })
  type Named = Guard & { readonly name: string; readonly lastEventAt?: Date }
  const keep = (given: Guard): Named => ({ ...given, name: 'new' })
  const document: Named = {
    applied: {},
    seen: [],
    contentHash: 'A',
    lastEventAt: new Date(at('10:10:00')),
    name: 'A',
  }
  const late = update('late', '10:00:00', 'B')
  const after = applyGuarded(
    document,
    { ...late, offset: 1, event: { ...late.event, receivedTime: late.event.time } },
    keep,
  )
  assert.is(after.name, 'A')
  assert.is(applyGuarded(after, { ...update('again', '10:20:00', 'B'), offset: 2 }, keep).name, 'new')
})

guard('takes an event for overtaken as long as the slowest request takes', () => {
  assert.ok(overtakenMs >= limits.requestMs + limits.webhooksMs)
})

guard('distinguishes events of different interfaces with equal ids', () => {
  assert.equal(
    ['webhooks', 'bot', 'egress'].map((from) => identity({ source: `/accounts/acme/${from}`, id: '1' })),
    ['webhooks/1', 'bot/1', 'egress/1'],
  )
})

guard.run()
