import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { rateLimits } from '../../../src/bridge/ingress/admission.ts'
import { accounts } from './harness.ts'

const [first, second] = accounts.map((account) => ({ ...account, requestsPerSecond: 3 }))
if (first === undefined || second === undefined) throw new Error('two accounts are needed')

/** A limit, and a clock that the test sets. */
const given = (start = 0) => {
  let now = start
  const allows = rateLimits(() => now)
  return {
    allowed: (account = first) => allows(account),
    at: (ms: number) => {
      now = start + ms
    },
  }
}
const times = (count: number, ask: () => boolean) => Array.from({ length: count }, ask)

const limiting = suite('the limit of requests')

limiting('limits the requests of a second from the first request on', () => {
  const { allowed, at } = given(5_000)
  assert.equal(times(5, allowed), [true, true, true, false, false])
  at(999.9)
  assert.not.ok(allowed())
  at(1_000)
  assert.equal(times(4, allowed), [true, true, true, false])
})

limiting('is separate for each account', () => {
  const { allowed } = given()
  times(4, allowed)
  assert.ok(allowed(second))
})

limiting('holds at any time of the clock, even after a long pause', () => {
  const ms = fc.integer({ min: 0, max: 2 ** 45 })
  fc.assert(
    fc.property(ms, ms, (start, pause) => {
      const { allowed, at } = given(start)
      at(1_000)
      assert.equal(times(4, allowed), [true, true, true, false])
      at(2_000 + pause)
      assert.ok(allowed())
    }),
  )
})

limiting.run()
