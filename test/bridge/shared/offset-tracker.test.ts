import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { offsetTracker } from '../../../src/bridge/shared/offset-tracker.ts'

const test = suite('the finished offset of a partition')

test('moves over finished offsets once everything before them is finished', () => {
  const tracker = offsetTracker()
  const taken = [10, 11, 14, 15].map(tracker.take)
  const marks = [11, 10, 15, 14].map(tracker.finish)
  assert.equal(taken, [true, true, true, true])
  assert.equal(marks, [undefined, 13, undefined, 15])
})

test('does not move before the first tracked offset', () => {
  const tracker = offsetTracker()
  tracker.take(100)
  tracker.take(101)
  assert.is(tracker.finish(101), undefined)
})

test('a tracked offset is not tracked again', () => {
  const tracker = offsetTracker()
  tracker.take(5)
  tracker.take(6)
  tracker.finish(5)
  assert.equal([5, 6, 7].map(tracker.take), [false, false, true])
  assert.is(tracker.finish(5), undefined)
})

test('when everything is finished, further offsets are tracked in the same way', () => {
  const tracker = offsetTracker()
  tracker.take(1)
  assert.is(tracker.finish(1), 1)
  for (const offset of [2, 3]) tracker.take(offset)
  assert.equal([3, 2].map(tracker.finish), [undefined, 3])
})

const offsetsAndOrder = fc
  .uniqueArray(fc.nat(1000), { minLength: 1, maxLength: 60 })
  .chain((offsets) =>
    fc.tuple(fc.constant([...offsets].sort((a, b) => a - b)), fc.shuffledSubarray(offsets, { minLength: 1 })),
  )

test('in any order of finishing, it never passes unfinished work, never moves back, and ends at the last offset', () => {
  fc.assert(
    fc.property(offsetsAndOrder, ([offsets, order]) => {
      const tracker = offsetTracker()
      offsets.forEach(tracker.take)
      const unfinished = new Set(offsets)
      let mark = -1
      for (const offset of order) {
        unfinished.delete(offset)
        const upTo = tracker.finish(offset)
        if (upTo === undefined) continue
        assert.ok(upTo > mark)
        mark = upTo
        assert.ok([...unfinished].every((open) => open > upTo))
      }
      const first = [...unfinished].sort((a, b) => a - b)[0]
      const finished = offsets.filter((offset) => first === undefined || offset < first)
      assert.ok(finished.every((offset) => offset <= mark))
    }),
  )
})

test.run()
