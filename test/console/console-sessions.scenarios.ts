import * as assert from 'uvu/assert'
import type { ConsoleSessions, StoredSession } from '../../src/bridge/mongo/sign-in-sessions.ts'

/** Later than any clock: MongoDB deletes what has expired by its own clock. */
const now = new Date('2100-01-01T12:00:00.000Z')
const after = (ms: number) => new Date(now.getTime() + ms)
const session = (id: string, about: Partial<StoredSession> = {}): StoredSession => ({
  id,
  who: 'ann',
  groups: ['desk'],
  expiresAt: after(1_000),
  unmasked: [],
  ...about,
})
const chat = (chatId: string) => ({ accountId: 'acme', chatId, until: after(500) })

type Test = (name: string, run: () => Promise<void>) => unknown

/** The scenarios of the port ConsoleSessions. `fresh` makes a store without any session or link. */
export const consoleSessionsScenarios = (test: Test, fresh: () => Promise<ConsoleSessions>): void => {
  test('a session is found by its id until it expires', async () => {
    const { add, find } = await fresh()
    await add(session('a'))
    await add(session('b', { who: 'bob', groups: 'link' }))
    assert.equal(
      [await find('a', now), await find('b', now), await find('c', now)],
      [session('a'), session('b', { who: 'bob', groups: 'link' }), undefined],
    )
    assert.equal([await find('a', after(999)), await find('a', after(1_000))], [session('a'), undefined])
  })

  test('a session that was removed is not found, and the others are', async () => {
    const { add, find, remove } = await fresh()
    await add(session('a'))
    await add(session('b'))
    await remove('a')
    await remove('c')
    assert.equal([await find('a', now), await find('b', now)], [undefined, session('b')])
  })

  test('a session has the newest 200 of its unmasked chats', async () => {
    const { add, find, unmask } = await fresh()
    await add(session('a'))
    const chats = Array.from({ length: 202 }, (_, i) => chat(String(i)))
    for (const one of chats) await unmask('a', one)
    await unmask('unknown', chat('1'))
    assert.equal((await find('a', now))?.unmasked, chats.slice(-200))
    assert.is(await find('unknown', now), undefined)
  })

  test('a link works once, also if it is used twice at the same time', async () => {
    const { addLink, takeLink } = await fresh()
    await addLink('h', 'ann', after(1_000))
    const taken = await Promise.all([takeLink('h', now), takeLink('h', now)])
    assert.equal(
      taken.filter((who) => who !== undefined),
      ['ann'],
    )
    assert.is(await takeLink('h', now), undefined)
  })

  test('a link does not work once it has expired, and an unknown one never', async () => {
    const { addLink, takeLink } = await fresh()
    await addLink('h', 'ann', after(1_000))
    assert.equal([await takeLink('h', after(1_000)), await takeLink('other', now)], [undefined, undefined])
    assert.is(await takeLink('h', after(999)), 'ann')
  })
}
