import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { turns } from '../../src/kafka/consumer/turns.ts'

const taking = suite('turns')

const never = new AbortController().signal
const later = () => new Promise((resolve) => setImmediate(resolve))

taking('so many have one at once, and the others get theirs in the order in which they asked', async () => {
  const take = turns(2)
  const got: number[] = []
  const ask = async (who: number) => {
    const giveBack = await take(never)
    got.push(who)
    return giveBack
  }
  const asked = [1, 2, 3, 4].map(ask)
  await later()
  const before = [...got]
  const giveBack = await asked[1]
  giveBack?.()
  giveBack?.()
  await later()

  assert.equal(
    [before, got],
    [
      [1, 2],
      [1, 2, 3],
    ],
  )
})

taking('who gives up waiting does not keep the others from theirs', async () => {
  const take = turns(1)
  const first = await take(never)
  const closed = new AbortController()
  const second = take(closed.signal)
  const third = take(never)

  closed.abort()
  const giveBack = await second
  giveBack()
  first()

  assert.type(await third, 'function')
})

taking.run()
