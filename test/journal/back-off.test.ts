import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { backOff } from '../../src/journal/back-off.ts'

const pause = suite('journal: back-off of the drain')

pause('it doubles from 50 ms to a second', () => {
  assert.equal(
    [1, 2, 3, 4, 5, 6, 100].map((failures) => backOff(failures, 1)),
    [50, 100, 200, 400, 800, 1_000, 1_000],
  )
})

pause('half of it is chance', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1 }), fc.double({ min: 0, max: 1, noNaN: true }), (failures, random) => {
      const ms = backOff(failures, random)
      assert.ok(ms >= backOff(failures, 1) / 2 && ms <= backOff(failures, 1))
    }),
  )
})

pause.run()
