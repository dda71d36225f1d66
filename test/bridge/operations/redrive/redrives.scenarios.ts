import type { Test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Instant } from '../../../../contracts/primitives.ts'
import type { Redrives } from '../../../../src/bridge/mongo/redrives.ts'

type Store = Pick<Redrives, 'find' | 'remember' | 'lease'>

const at = (second: number) => `2026-01-31T10:00:0${second}.000Z` as Instant

/** What each store of redrives does: the calls, and then what it knows of a, b and c. */
const scenarios: ReadonlyArray<
  readonly [string, (store: Store) => Promise<void>, Readonly<Record<string, Instant[]>>]
> = [
  ['nothing was sent back at first', async () => {}, {}],
  [
    'several are remembered at once, and no others',
    ({ remember }) => remember(['a', 'b', 'other'], at(1)),
    { a: [at(1)], b: [at(1)] },
  ],
  [
    'the times of each are in order',
    async ({ remember }) => {
      await remember(['a'], at(3))
      await remember(['a', 'c'], at(1))
      await remember(['a'], at(2))
    },
    { a: [at(1), at(2), at(3)], c: [at(1)] },
  ],
  [
    'a call that is repeated changes nothing',
    async ({ remember }) => {
      await remember(['a', 'b'], at(1))
      await remember(['a', 'b'], at(1))
    },
    { a: [at(1)], b: [at(1)] },
  ],
]

/** Registers the scenarios for stores that `emptyStore` makes. */
export const redrivesScenarios = (test: Test, emptyStore: () => Promise<Store>): void => {
  for (const [what, work, known] of scenarios)
    test(what, async () => {
      const store = await emptyStore()
      await work(store)
      assert.equal(Object.fromEntries(await store.find(['a', 'b', 'c'])), known)
    })

  test('one process at a time may send records back', async () => {
    const { lease } = await emptyStore()
    const first = await lease()
    assert.is(await lease(), undefined)
    assert.is(await first?.renew(), true)
    await first?.release()
    const second = await lease()
    assert.is(await first?.renew(), false)
    // Whoever has lost the right does not take it from its new owner.
    await first?.release()
    assert.is(await second?.renew(), true)
    assert.is(await lease(), undefined)
  })
}
