import type { Test } from 'uvu'
import * as assert from 'uvu/assert'
import type { SilentPersons } from '../../../../src/bridge/mongo/silent-persons.ts'
import { receipt } from '../erase/given-erasures.ts'
import type { Logged } from './memory-silent-persons.ts'

const day = (date: number) => new Date(Date.UTC(2026, 0, date))
const log: ReadonlyArray<Logged> = [
  { _id: 'e1', time: day(1), chatId: '1', clientId: 'a' },
  { _id: 'e2', time: day(2), chatId: '2', clientId: 'b' },
  { _id: 'e3', time: day(3), chatId: '1', clientId: 'a' },
  { _id: 'e4', time: day(3), chatId: '3', clientId: 'b' },
  { _id: 'e5', time: day(4), chatId: '4', clientId: 'c' },
]
const idsOf = (entries: ReadonlyArray<{ readonly _id: string }>) => entries.map(({ _id }) => _id).sort()

/** What each store of silent persons answers about the events above. */
const answers: ReadonlyArray<readonly [string, (store: SilentPersons) => Promise<unknown>, unknown]> = [
  [
    'the oldest entries before a time',
    async ({ entries }) => idsOf(await entries('acme', { before: day(3) }, 9)),
    ['e1', 'e2'],
  ],
  [
    'the oldest entries after a time',
    async ({ entries }) => idsOf(await entries('acme', { after: day(1), before: day(9) }, 1)),
    ['e2'],
  ],
  [
    'all entries of the same time as the last one',
    async ({ entries }) => idsOf(await entries('acme', { before: day(9) }, 3)),
    ['e1', 'e2', 'e3', 'e4'],
  ],
  ['the newest event of a chat', ({ lastEventAt }) => lastEventAt('acme', { chats: ['1'], clients: [] }), day(3)],
  [
    'the newest event of chats and clients',
    ({ lastEventAt }) => lastEventAt('acme', { chats: ['1', '2'], clients: ['c'] }),
    day(4),
  ],
  [
    'no event of an unknown person',
    ({ lastEventAt }) => lastEventAt('acme', { chats: ['9'], clients: ['z'] }),
    undefined,
  ],
  [
    'the newest record of chats and clients',
    async ({ lastPlaces }) =>
      Math.max(...(await lastPlaces('acme', { chats: ['1'], clients: ['b'] })).map(({ offset }) => offset)),
    3,
  ],
  ['no record of an unknown person', ({ lastPlaces }) => lastPlaces('acme', { chats: ['9'], clients: [] }), []],
]

/** Registers the scenarios for stores that `storeOf` makes: they have these events of the account acme. */
export const silentPersonsScenarios = (
  test: Test,
  storeOf: (log: ReadonlyArray<Logged>) => Promise<SilentPersons>,
): void => {
  for (const [what, ask, answer] of answers) test(what, async () => assert.equal(await ask(await storeOf(log)), answer))

  test('a receipt is claimed once', async () => {
    const { claim, requestsSince } = await storeOf([])
    assert.equal([await claim(receipt('r1', 5)), await claim(receipt('r1', 6))], [true, false])
    assert.equal(await requestsSince('acme', 'retainDays', day(5)), [])
  })

  test('requests count by who asked, and if they came later', async () => {
    const { claim, requestsSince } = await storeOf([])
    for (const each of [receipt('r1', 5), receipt('r2', 6), receipt('r3', 7, { requestedBy: 'officer' })])
      await claim(each)
    assert.equal(await requestsSince('acme', 'retainDays', day(5)), ['request of r2'])
  })

  test('who waits and what is released are kept apart, for each account', async () => {
    const { keepWaiting, keepRelease, retainState, retainStates } = await storeOf([])
    const waiting = { persons: 7, limit: 5, before: day(1), since: day(2) }
    const released = { before: day(1), by: 'officer', at: day(3) }
    await keepWaiting('acme', waiting)
    await keepRelease('acme', released)
    await keepWaiting('other', waiting)
    const statesNow = async () => (await retainStates()).toSorted((a, b) => a._id.localeCompare(b._id))
    assert.equal(await statesNow(), [
      { _id: 'acme', waiting, released },
      { _id: 'other', waiting },
    ])
    await keepWaiting('acme', undefined)
    assert.equal(await statesNow(), [
      { _id: 'acme', released },
      { _id: 'other', waiting },
    ])
    assert.equal(await Promise.all(['acme', 'nobody'].map(retainState)), [{ _id: 'acme', released }, undefined])
  })
}
