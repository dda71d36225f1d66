import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { inFlightLimit } from '../../src/bot/partition-work.ts'

const test = suite('unfinished events of a partition')

const times = (n: number, work: () => void) => Array.from({ length: n }).forEach(work)

test('above a thousand events of many chats the limit is reached, below half of that it is free again', () => {
  const it = inFlightLimit()
  Array.from({ length: 1000 }, (_, i) => it.add(`chat-${i}`))
  assert.is(it.isTooMuch(), false)
  it.add('one more')
  assert.is(it.isTooMuch(), true)
  Array.from({ length: 501 }, (_, i) => it.remove(`chat-${i}`))
  assert.equal([it.isTooMuch(), it.isModest()], [false, false])
  it.remove('one more')
  assert.is(it.isModest(), true)
})

test('at most twenty events of each chat count; at most ten thousand events are held', () => {
  const it = inFlightLimit()
  times(10_000, () => it.add('stuck'))
  assert.is(it.isTooMuch(), false)
  it.add('stuck')
  assert.is(it.isTooMuch(), true)
})

test('all counts are zero when all work is finished, in any order', () => {
  const chats = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 200 })
  fc.assert(
    fc.property(chats, fc.nat(), (begun, seed) => {
      const it = inFlightLimit()
      for (const chat of begun) it.add(chat)
      for (const chat of begun.toSorted((a, b) => ((a.charCodeAt(0) * seed) % 7) - ((b.charCodeAt(0) * seed) % 7)))
        it.remove(chat)
      Array.from({ length: 1000 }, (_, i) => it.add(`chat-${i}`))
      assert.is(it.isTooMuch(), false)
      it.add('one more')
      assert.is(it.isTooMuch(), true)
    }),
  )
})

test.run()
