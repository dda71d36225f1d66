import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { agreedTime, maxApartMs } from '../../../src/bridge/domain/agreed-time.ts'

const agreeing = suite('the time by two clocks')

const now = Date.parse('2026-01-31T10:00:00Z')
const day = 24 * 60 * 60 * 1000

for (const apart of [60 * day, -60 * day, maxApartMs + 1, -maxApartMs - 1, Number.NaN, 1e300])
  agreeing(`is not known if one is ahead by ${apart} ms`, () => {
    const agreed = agreedTime(now + apart, now)
    assert.match(E.isLeft(agreed) ? agreed.left : '', /the clocks do not agree: it is .* here and 2026-01-31/)
  })

agreeing('is the earlier one, if they agree', () =>
  fc.assert(
    fc.property(fc.integer({ min: -maxApartMs, max: maxApartMs }), (apart) => {
      assert.equal(agreedTime(now + apart, now), E.right(Math.min(now, now + apart)))
    }),
  ),
)

agreeing.run()
