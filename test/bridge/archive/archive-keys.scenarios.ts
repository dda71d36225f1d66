import * as assert from 'uvu/assert'
import type { ArchiveKeys } from '../../../src/bridge/domain/archive-keys.ts'
import type { LogPlace } from '../../../src/bridge/domain/log/positions.ts'

const at = (offset: number, topicId = 'g1'): LogPlace => ({ topicId, partition: 0, offset })
const key = (id: string, kid: string, wrapping = 'w1') => ({ id, kid, wrapped: `${wrapping}.${kid}` })

/** What each store of archive keys does: the calls, and then all keys with the ids a and b. */
const scenarios: ReadonlyArray<readonly [string, (keys: ArchiveKeys) => Promise<void>, ReadonlyArray<object>]> = [
  ['no key is known at first', async () => {}, []],
  [
    'the first key of an id wins',
    async ({ add }) => {
      await add([key('a', '1'), key('b', '2')])
      await add([key('a', '3')])
      await add([key('b', '4'), key('b', '5')])
    },
    [
      { ...key('a', '1'), erasedKids: [] },
      { ...key('b', '2'), erasedKids: [] },
    ],
  ],
  [
    'a destroyed key leaves its kid and the place, and the id may get another key',
    async ({ add, destroy }) => {
      await add([key('a', '1'), key('b', '2')])
      await destroy('a', at(5))
      await destroy('b', at(7))
      await add([key('b', '3')])
    },
    [
      { id: 'a', erased: at(5), erasedKids: ['1'] },
      { ...key('b', '3'), erased: at(7), erasedKids: ['2'] },
    ],
  ],
  [
    'an erasure that is repeated, or is older, destroys no key that came after it',
    async ({ add, destroy }) => {
      await add([key('a', '1')])
      await destroy('a', at(5))
      await add([key('a', '2')])
      await destroy('a', at(5))
      await destroy('a', at(4))
    },
    [{ ...key('a', '2'), erased: at(5), erasedKids: ['1'] }],
  ],
  [
    'a later erasure destroys the later key, and so does one of a topic that was created again',
    async ({ add, destroy }) => {
      for (const id of ['a', 'b']) {
        await add([key(id, '1')])
        await destroy(id, at(5))
        await add([key(id, '2')])
      }
      await destroy('a', at(6))
      await destroy('b', at(0, 'g2'))
    },
    [
      { id: 'a', erased: at(6), erasedKids: ['1', '2'] },
      { id: 'b', erased: at(0, 'g2'), erasedKids: ['1', '2'] },
    ],
  ],
  [
    'an id without a key can be erased',
    ({ destroy }) => destroy('a', at(5)),
    [{ id: 'a', erased: at(5), erasedKids: [] }],
  ],
  [
    'an accepted loss is kept once, with and without a key, also over an erasure',
    async ({ add, destroy, acceptLoss }) => {
      await add([key('a', '1')])
      await acceptLoss([
        { id: 'a', before: [at(3)] },
        { id: 'b', before: [at(4), at(9, 'g2')] },
      ])
      await acceptLoss([{ id: 'b', before: [at(4)] }])
      await destroy('a', at(5))
    },
    [
      { id: 'a', erased: at(5), erasedKids: ['1'], lostBefore: [at(3)] },
      { id: 'b', erasedKids: [], lostBefore: [at(4), at(9, 'g2')] },
    ],
  ],
  [
    'keys of the same wrapping are given up, and can be made again',
    async ({ add, destroy, giveUp }) => {
      await add([key('a', '1'), key('b', '2', 'w2'), key('c', '3')])
      await destroy('a', at(5))
      await add([key('a', '4')])
      await giveUp(key('x', '9').wrapped)
      await add([key('c', '5', 'w2')])
    },
    [
      { id: 'a', erased: at(5), erasedKids: ['1'] },
      { ...key('b', '2', 'w2'), erasedKids: [] },
      { ...key('c', '5', 'w2'), erasedKids: [] },
    ],
  ],
  [
    'only the same key is stored in another wrapping, unless it was destroyed',
    async ({ add, destroy, rewrap }) => {
      await add([key('a', '1'), key('b', '2')])
      await destroy('b', at(5))
      await rewrap([key('a', '1', 'w2'), key('b', '2', 'w2')])
      await rewrap([key('a', '9', 'w3'), key('c', '3', 'w2')])
    },
    [
      { ...key('a', '1', 'w2'), erasedKids: [] },
      { id: 'b', erased: at(5), erasedKids: ['2'] },
    ],
  ],
]

type Test = (name: string, run: () => Promise<void>) => unknown

/** The scenarios of the port ArchiveKeys. `fresh` makes a store without any key. */
export const archiveKeysScenarios = (test: Test, fresh: () => Promise<ArchiveKeys>): void => {
  for (const [name, calls, expected] of scenarios)
    test(name, async () => {
      const keys = await fresh()
      await calls(keys)
      const found = await keys.find(['a', 'b', 'c'])
      assert.equal(
        [...found.values()].sort((a, b) => a.id.localeCompare(b.id)),
        expected,
      )
    })

  test('all keys that are not destroyed are listed, and one example of each wrapping', async () => {
    const { add, destroy, all, examples } = await fresh()
    await add([key('a', '1'), key('b', '2', 'w2'), key('c', '3', 'w2'), key('d', '4', 'w3')])
    await destroy('d', at(1))
    const listed: object[] = []
    for await (const each of all()) listed.push(each)
    assert.equal(listed, [key('a', '1'), key('b', '2', 'w2'), key('c', '3', 'w2')])
    assert.equal((await examples()).map((wrapped) => wrapped.split('.')[0]).sort(), ['w1', 'w2'])
  })
}
