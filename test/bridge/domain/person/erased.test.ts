import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../../contracts/events/index.ts'
import { topics, topicsOf } from '../../../../contracts/topics.ts'
import {
  type ErasedKey,
  erasedFinder,
  erasedKeyOf,
  nameOfErased,
  withBlankPersonalData,
} from '../../../../src/bridge/domain/person/erased.ts'
import { anEvent, at } from '../../../support/given-events.ts'

const finding = suite('events that arrive after the erasure of their person')

const noon = new Date(at('12:00:00'))
const visitor = { number: '7', chatsCount: 1, name: 'Ann', email: 'Ann@Example.com' }

/** An erasure at noon that remembers these keys. */
const given = (...keys: ReadonlyArray<ErasedKey>) => {
  const erased = new Set(keys.map(nameOfErased))
  const state = { asked: 0, newest: noon as Date | undefined, askedNewest: 0, now: 0 }
  const find = erasedFinder({
    erasedAt: async (wanted) => {
      state.asked++
      return new Map(wanted.map(nameOfErased).flatMap((name) => (erased.has(name) ? [[name, noon]] : [])))
    },
    newestErasure: async () => {
      state.askedNewest++
      return state.newest
    },
    clock: () => state.now,
  })
  return { find, state }
}

const accepted = anEvent('ChatAccepted', 'e1', at('11:00:00'), { visitor })
const rows: ReadonlyArray<{
  readonly name: string
  readonly key: ErasedKey
  readonly event?: DomainEvent
  readonly isFound: boolean
}> = [
  { name: 'by its chat', key: { of: 'chat', key: 'acme/2037' }, isFound: true },
  { name: 'by its visitor, although its chat was unknown', key: { of: 'visitor', key: 'acme/7' }, isFound: true },
  {
    name: 'by an address that was included, in other letters',
    key: { of: 'email', key: 'acme/ann@example.com' },
    isFound: true,
  },
  { name: 'not by the visitor of another account', key: { of: 'visitor', key: 'other/7' }, isFound: false },
  { name: 'not by a client with the number of the chat', key: { of: 'client', key: 'acme/2037' }, isFound: false },
  {
    name: 'not if it was received after the erasure',
    key: { of: 'chat', key: 'acme/2037' },
    event: anEvent('ChatAccepted', 'e2', at('12:00:01'), { visitor }),
    isFound: false,
  },
  { name: 'not by a field that it lacks', key: { of: 'phone', key: 'acme/undefined' }, isFound: false },
  {
    name: 'not if it was received when its person was erased',
    key: { of: 'chat', key: 'acme/2037' },
    event: anEvent('ChatAccepted', 'e4', at('12:00:00'), { visitor }),
    isFound: false,
  },
  {
    name: 'by the time of its request if it was in quarantine',
    key: { of: 'chat', key: 'acme/2037' },
    event: {
      ...anEvent('ChatAccepted', 'e3', at('12:00:01'), { visitor }),
      receivedTime: accepted.time,
    } as DomainEvent,
    isFound: true,
  },
]
for (const { name, key, event = accepted, isFound } of rows)
  finding(`are found ${name}`, async () => {
    const { find } = given(key)
    assert.equal([...(await find([event]))], isFound ? [event] : [])
  })

finding('are not looked for among events that are newer than every erasure', async () => {
  const { find, state } = given({ of: 'chat', key: 'acme/2037' })
  await find([anEvent('ChatAccepted', 'e1', at('12:30:00'))])
  assert.is(state.asked, 0)
})

finding('are found at once after a marker, although no erasure was known before', async () => {
  const { find, state } = given({ of: 'chat', key: 'acme/2037' })
  state.newest = undefined
  await find([accepted])
  state.newest = noon
  const marker = anEvent('ChatErased', 'm1', at('12:00:00'), { erasureId: 'x', topic: 'chats' })
  assert.equal([...(await find([marker, accepted]))], [accepted])
  await find([anEvent('ClientErased', 'm2', at('12:00:00'), { erasureId: 'x' })])
  assert.is(state.askedNewest, 3)
})

finding('are told from events of other persons, and from the markers of an earlier erasure', async () => {
  const { find } = given({ of: 'visitor', key: 'acme/7' }, { of: 'client', key: 'acme/1233' })
  const other = anEvent('ChatAccepted', 'e5', at('11:00:00'), { visitor: { number: '8', chatsCount: 1 } })
  const marker = anEvent('ClientErased', 'm1', at('11:00:00'), { erasureId: 'x' })
  assert.equal([...(await find([accepted, other, marker]))], [accepted])
})

finding('are those that were received before their own erasure, whatever others came later', async () => {
  const { find, state } = given({ of: 'chat', key: 'acme/2037' })
  state.newest = new Date(at('13:00:00'))
  const atNoon = anEvent('ChatAccepted', 'e6', at('12:00:00'))
  assert.equal([...(await find([accepted, atNoon]))], [accepted])
})

finding('are looked for with a newest erasure that is at most a second old', async () => {
  const { find, state } = given()
  const asked: number[] = []
  for (const now of [0, 999, 1_000, 1_500]) {
    state.now = now
    await find([accepted])
    asked.push(state.askedNewest)
  }
  assert.equal(asked, [1, 1, 2, 2])
})

finding('are looked for by the key of their topic, and by the kind of that key', () => {
  const keys = ['clients', 'enrichments', 'chats', 'of-another-version'].map((topic) => erasedKeyOf(topic, 'acme/1'))
  assert.equal(
    keys,
    (['client', 'enrichment', 'chat', 'chat'] as const).map((of) => ({ of, key: 'acme/1' })),
  )
  assert.is(nameOfErased({ of: 'userToken', key: 'acme/Ab' }), 'userToken acme/Ab')
})

finding('keep their codec without anything personal, whatever their type', () => {
  const message = { type: 'TEXT', text: 'my secret', timestamp: at('11:00:00') }
  const events = [
    anEvent('ChatAccepted', 'e1', at('11:00:00'), {
      visitor: { ...visitor, name: 'my secret' },
      extra: { a: 'my secret' },
    }),
    anEvent('OfflineMessageReceived', 'e2', at('11:00:00'), { visitor, message: 'my secret' }),
    anEvent('ClientMessageReceived', 'e3', at('11:00:00'), { message }),
    anEvent('ClientUpdated', 'e4', at('11:00:00'), { visitor }),
  ]
  for (const event of events) assert.not.match(JSON.stringify(withBlankPersonalData(event)), /secret|Ann/i)
  assert.ok(events.every(({ type }) => topicsOf(type).every((topic) => topics.includes(topic))))
})

finding.run()
