import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { workInProgress } from '../../../src/bridge/shared/work-in-progress.ts'

const test = suite('work in progress')

const times = (n: number, work: () => void) => Array.from({ length: n }).forEach(work)

test('above a thousand pieces of work of many keys the limit is reached, below half of that it is free again', () => {
  const it = workInProgress()
  Array.from({ length: 1000 }, (_, i) => it.begin(`key-${i}`))
  assert.is(it.isTooMuch(), false)
  it.begin('one more')
  assert.is(it.isTooMuch(), true)
  Array.from({ length: 501 }, (_, i) => it.end(`key-${i}`))
  assert.equal([it.isTooMuch(), it.isLessThanHalf()], [false, false])
  it.end('one more')
  assert.is(it.isLessThanHalf(), true)
})

test('at most twenty pieces of work of each key count; at most ten thousand pieces of work are held', () => {
  const it = workInProgress()
  times(10_000, () => it.begin('stuck'))
  assert.is(it.isTooMuch(), false)
  it.begin('stuck')
  assert.is(it.isTooMuch(), true)
})

test('all counts are zero when all work is finished, in any order', () => {
  const keys = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 200 })
  fc.assert(
    fc.property(keys, fc.nat(), (begun, seed) => {
      const it = workInProgress()
      for (const chat of begun) it.begin(chat)
      for (const chat of begun.toSorted((a, b) => ((a.charCodeAt(0) * seed) % 7) - ((b.charCodeAt(0) * seed) % 7)))
        it.end(chat)
      Array.from({ length: 1000 }, (_, i) => it.begin(`key-${i}`))
      assert.is(it.isTooMuch(), false)
      it.begin('one more')
      assert.is(it.isTooMuch(), true)
    }),
  )
})

test.run()
