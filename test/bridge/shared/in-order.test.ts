import { setTimeout as wait } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { inOrder } from '../../../src/bridge/shared/in-order.ts'

const ordered = suite('work side by side with results in order')

async function* upTo(count: number, given: number[] = []) {
  for (let i = 0; i < count; i++) {
    given.push(i)
    yield i
  }
}

ordered('results keep the order of the items, and at most so many are worked on', async () => {
  let [running, most] = [0, 0]
  const results: number[] = []
  const work = async (item: number) => {
    most = Math.max(most, ++running)
    await wait(item % 3)
    running--
    return item * 10
  }
  for await (const result of inOrder(upTo(20), 4, work)) results.push(result)
  assert.equal(
    results,
    Array.from({ length: 20 }, (_, i) => i * 10),
  )
  assert.is(most, 4)
})

ordered('a slow item holds up a bounded number of others', async () => {
  const given: number[] = []
  const slow = Promise.withResolvers<void>()
  const results = inOrder(upTo(100, given), 2, async (item) => {
    if (item === 0) await slow.promise
    return item
  })
  const first = results.next()
  await wait(20)
  assert.is(given.length, 6)
  slow.resolve()
  assert.is((await first).value, 0)
  await results.return(undefined)
})

ordered('a rejection is thrown in its turn', async () => {
  const results = inOrder(upTo(5), 2, async (item) => {
    if (item === 3) throw new Error('three')
    return item
  })
  const seen: number[] = []
  try {
    for await (const result of results) seen.push(result)
    assert.unreachable()
  } catch (error) {
    assert.is((error as Error).message, 'three')
  }
  assert.equal(seen, [0, 1, 2])
})

ordered.run()
