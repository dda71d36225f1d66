import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { semaphore } from '../../../src/bridge/shared/semaphore.ts'

const taking = suite('semaphore')

const never = new AbortController().signal
const later = () => new Promise((resolve) => setImmediate(resolve))

taking(
  'a limited number of callers have a turn, and the others get theirs in the order of their requests',
  async () => {
    const take = semaphore(2)
    const got: number[] = []
    const ask = async (who: number) => {
      const turn = await take(never)
      got.push(who)
      return turn
    }
    const asked = [1, 2, 3, 4].map(ask)
    await later()
    const before = [...got]
    const turn = await asked[1]
    turn?.[Symbol.dispose]()
    turn?.[Symbol.dispose]()
    await later()

    assert.equal(
      [before, got],
      [
        [1, 2],
        [1, 2, 3],
      ],
    )
  },
)

taking('a caller that gives up waiting does not block the others', async () => {
  const take = semaphore(1)
  const first = await take(never)
  const closed = new AbortController()
  const second = take(closed.signal)
  const third = take(never)

  closed.abort()
  using _ended = await second
  first[Symbol.dispose]()
  using last = await third

  assert.type(last, 'object')
})

taking('permits with weights share the limit, and one that is heavier than the limit is granted alone', async () => {
  const take = semaphore(10)
  const got: number[] = []
  const ask = async (weight: number) => {
    const permit = await take(undefined, weight)
    got.push(weight)
    return permit
  }
  const asked = [6, 3, 40, 2].map(ask)
  await later()
  const seen = [[...got]]
  for (const i of [0, 1, 2]) {
    const permit = await asked[i]
    permit?.[Symbol.dispose]()
    await later()
    seen.push([...got])
  }

  assert.equal(seen, [
    [6, 3],
    [6, 3],
    [6, 3, 40],
    [6, 3, 40, 2],
  ])
})

taking.run()
