import fc from 'fast-check'
import { isRight } from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { rateLimits, rateMemory } from '../../src/ingress/rate-limit.ts'
import { left } from '../support/either.ts'
import { accounts } from './harness.ts'

const [first, second] = accounts.map((account) => ({ ...account, requestsPerSecond: 3 }))
if (first === undefined || second === undefined) throw new Error('two accounts are needed')
const both = [first, second]

/** Two threads' limits over one memory, and a clock that the test sets. */
const given = (start = 0) => {
  const memory = rateMemory(both.length)
  let now = start
  const threads = [0, 1].map(() => rateLimits(both, memory, () => now))
  const ask = (thread: number, account = first) => {
    const answer = threads[thread]?.(account)
    if (answer === undefined) throw new Error('there are two threads')
    return answer
  }
  return {
    ask,
    allowed: (...from: Parameters<typeof ask>) => isRight(ask(...from)),
    at: (ms: number) => {
      now = start + ms
    },
  }
}

const limiting = suite('the limit of requests')

limiting('is so many in a second from the first on, whichever thread they come to', () => {
  const { ask, allowed, at } = given(5_000)
  assert.equal(
    [0, 1, 0, 1, 0].map((thread) => allowed(thread)),
    [true, true, true, false, false],
  )
  at(999.9)
  assert.not.ok(allowed(1))
  assert.equal(left(ask(0)).headers, { 'Retry-After': '1' })
  at(1_000)
  assert.equal(
    [0, 0, 1, 1].map((thread) => allowed(thread)),
    [true, true, true, false],
  )
})

limiting("is each account's own", () => {
  const { allowed } = given()
  for (let i = 0; i < 4; i++) allowed(0)
  assert.ok(allowed(0, second))
})

limiting('holds at any time of the clock, also after a long pause', () => {
  const times = fc.integer({ min: 0, max: 2 ** 45 })
  fc.assert(
    fc.property(times, times, (start, pause) => {
      const { allowed, at } = given(start)
      at(1_000)
      assert.equal(
        [0, 1, 0, 1].map((thread) => allowed(thread)),
        [true, true, true, false],
      )
      at(2_000 + pause)
      const isUnlucky = (pause + 1_000) % 2 ** 32 < 1_000
      if (!isUnlucky) assert.ok(allowed(0))
    }),
  )
})

limiting.run()
