import type { Test } from 'uvu'
import * as assert from 'uvu/assert'
import type { ErasureDocument } from '../../../../contracts/views/erasure.ts'
import type { Erasures } from '../../../../src/bridge/mongo/erasures.ts'
import { receipt } from './given-erasures.ts'

type Store = Pick<Erasures, 'find' | 'save' | 'newestErasure'>

const saved: ReadonlyArray<ErasureDocument> = [
  receipt('second', 2, { state: 'published' }),
  receipt('first', 1, { request: 'r1' }),
  receipt('third', 3, { state: 'published', request: 'r1' }),
]

/** What each store of receipts finds after these were saved, the oldest first. */
const finds: ReadonlyArray<readonly [string, Parameters<Store['find']>[0], ReadonlyArray<string>]> = [
  ['all', {}, ['first', 'second', 'third']],
  ['by id', { _id: 'second' }, ['second']],
  ['by state', { state: 'published' }, ['second', 'third']],
  ['by request', { request: 'r1' }, ['first', 'third']],
  ['by request and state', { request: 'r1', state: 'published' }, ['third']],
  ['none', { state: 'complete' }, []],
]

/** Registers the scenarios for stores that `emptyStore` makes. */
export const receiptsScenarios = (test: Test, emptyStore: () => Promise<Store>): void => {
  for (const [what, filter, ids] of finds)
    test(`receipts are found, the oldest first: ${what}`, async () => {
      const { find, save } = await emptyStore()
      for (const each of saved) await save(each)
      assert.equal(
        (await find(filter)).map(({ _id }) => _id),
        ids,
      )
    })

  test('a receipt that is saved again replaces the one before', async () => {
    const { find, save } = await emptyStore()
    await save(receipt('first', 1, { plan: { chats: [], clients: [], enrichments: ['acme/1'] } }))
    await save(receipt('first', 1, { state: 'published' }))
    assert.equal(await find({}), [receipt('first', 1, { state: 'published' })])
  })

  test('the newest erasure is known by its request', async () => {
    const { save, newestErasure } = await emptyStore()
    assert.is(await newestErasure(), undefined)
    for (const each of saved) await save(each)
    assert.equal(await newestErasure(), receipt('third', 3).requestedAt)
  })
}
