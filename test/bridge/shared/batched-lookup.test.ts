import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { batchedLookup } from '../../../src/bridge/shared/batched-lookup.ts'

const asking = (rest?: () => Promise<void>) => {
  const asked: Array<{ readonly keys: ReadonlyArray<string>; readonly answer: () => void; readonly fail: () => void }> =
    []
  const ask = batchedLookup((keys) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<string, string>>()
    const found = () => resolve(new Map([...keys].map((key) => [key, `${key}!`])))
    asked.push({ keys: [...keys], answer: found, fail: () => reject(new Error('away')) })
    return promise
  }, rest)
  return { asked, ask }
}
const turn = () => new Promise(setImmediate)

const lookUps = suite('batched look-ups')

lookUps('look-ups of one turn share a query, later ones share the next query', async () => {
  const { asked, ask } = asking()
  const first = [ask(['a', 'b']), ask(['b', 'c'])]
  await turn()
  const second = [ask(['d']), ask(['a'])]
  await turn()
  assert.equal(
    asked.map(({ keys }) => keys),
    [['a', 'b', 'c']],
  )
  asked[0]?.answer()
  assert.is((await first[1])?.get('c'), 'c!')
  await turn()
  asked[1]?.answer()
  assert.equal(asked[1]?.keys, ['d', 'a'])
  assert.is((await second[0])?.get('d'), 'd!')
})

lookUps('a failed query fails only for the callers that shared it', async () => {
  const { asked, ask } = asking()
  const failed = ask(['a']).catch(() => 'failed')
  await turn()
  const later = ask(['b'])
  asked[0]?.fail()
  assert.is(await failed, 'failed')
  await turn()
  asked[1]?.answer()
  assert.is((await later).get('b'), 'b!')
})

lookUps('the next query waits for the pause too, and the first query does not wait', async () => {
  const { promise: rested, resolve: rest } = Promise.withResolvers<void>()
  const { asked, ask } = asking(() => rested)
  const first = ask(['a'])
  await turn()
  asked[0]?.answer()
  await first
  const others = [ask(['b']), ask(['c'])]
  await turn()
  assert.is(asked.length, 1)
  rest()
  await turn()
  asked[1]?.answer()
  await Promise.all(others)
  assert.equal(asked[1]?.keys, ['b', 'c'])
})

lookUps.run()
