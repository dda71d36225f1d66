import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { memoized } from '../../../src/bridge/shared/memoized.ts'

const memoizing = suite('work whose success is remembered')

const given = (...outcomes: ReadonlyArray<'fails' | 'succeeds'>) => {
  let calls = 0
  const get = memoized(async () => {
    const call = calls++
    if (outcomes[call] === 'fails') throw new Error(`call ${call}`)
    return call
  })
  return { get, calls: () => calls }
}

memoizing('is not done again', async () => {
  const { get, calls } = given('succeeds')
  assert.equal([await get(), await get(), calls()], [0, 0, 1])
})

memoizing('is shared by callers at the same time', async () => {
  const { get, calls } = given('succeeds')
  assert.equal([await Promise.all([get(), get()]), calls()], [[0, 0], 1])
})

memoizing('is done again after a failure, which all its callers get', async () => {
  const { get, calls } = given('fails', 'succeeds')
  const first = await Promise.allSettled([get(), get()])
  assert.equal(
    first.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.equal([await get(), await get(), calls()], [1, 1, 2])
})

memoizing('rejects and is done again if the work throws at once', async () => {
  let calls = 0
  const get = memoized((): Promise<number> => {
    calls += 1
    if (calls === 1) throw new Error('no address')
    return Promise.resolve(calls)
  })
  const [first] = await Promise.allSettled([get()])
  assert.is(first?.status, 'rejected')
  assert.equal([await get(), await get()], [2, 2])
})

memoizing.run()
