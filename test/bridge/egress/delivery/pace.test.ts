import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  afterOutage,
  afterThrottling,
  giveBackStep,
  heldUp,
  inTime,
  isLimiting,
  type Pace,
  paceWaitMs,
  quicker,
  slower,
  takeStep,
} from '../../../../src/bridge/egress/delivery/pace.ts'

const test = suite('the pace after failures')

type Seen = { readonly at: number; readonly isTaken: boolean }

/** Makes as many attempts as the pace allows. The service accepts `capacity` per second, and answers at once. */
const run = (start: Pace, capacity: number, from: number, until: number) => {
  const seen: Seen[] = []
  let pace = start
  let tokens = 0
  let now = from
  while (now < until) {
    const wait = Math.max(0.1, paceWaitMs(pace, now))
    now += wait
    tokens = Math.min(Math.max(1, capacity / 4), tokens + (wait * capacity) / 1000)
    const isTaken = tokens >= 1
    if (isTaken) tokens -= 1
    seen.push({ at: now, isTaken })
    pace = takeStep(pace, now)
    pace = isTaken ? quicker(pace) : slower(pace, now)
  }
  return { pace, seen }
}
const taken = (seen: ReadonlyArray<Seen>) => seen.filter(({ isTaken }) => isTaken).length

test('a service with a limited rate gets most of its capacity, and at most one attempt in ten fails', () => {
  fc.assert(
    fc.property(fc.integer({ min: 10, max: 400 }), (capacity) => {
      const { pace } = run(afterOutage(undefined, 0), capacity, 0, 60_000)
      const { seen } = run(pace, capacity, 60_000, 120_000)
      assert.ok(taken(seen) >= 0.8 * capacity * 60, `${taken(seen)} of ${capacity * 60}`)
      assert.ok(seen.length <= 1.11 * taken(seen), `${seen.length} for ${taken(seen)}`)
    }),
    { numRuns: 30 },
  )
})

test('from a fifth of its capacity, or from zero, it reaches its full rate within a minute', () => {
  fc.assert(
    fc.property(fc.integer({ min: 5, max: 800 }), fc.boolean(), (capacity, fromNothing) => {
      const fifth = run(afterOutage(undefined, 0), capacity / 5, 0, 60_000)
      const given = fromNothing ? afterOutage(fifth.pace, 60_000) : fifth.pace
      const { seen } = run(given, capacity, 60_000, 120_000)
      const lastSeconds = seen.filter(({ at }) => at >= 115_000)
      assert.ok(taken(lastSeconds) >= 0.75 * capacity * 5, `${taken(lastSeconds)} of ${capacity * 5}`)
    }),
    { numRuns: 30 },
  )
})

test('failures of attempts that started before a slowdown do not slow it down again', () => {
  const pace = afterOutage(undefined, 1000)
  assert.equal(slower(pace, 1000), pace)
  assert.is(slower(pace, 1001).perSecond, 7.9)
  assert.is(slower({ ...pace, perSecond: 2 }, 1001).perSecond, 1.4)
  const throttled = afterThrottling(undefined, 100, 900, 1000)
  assert.is(throttled.perSecond, 70)
  for (const begunAt of [950, 1000]) assert.equal(afterThrottling(throttled, 100, begunAt, 1100), throttled)
  assert.is(Math.round(afterThrottling(throttled, 100, 1050, 1100).perSecond), 49)
})

test('after a 429 only another 429 makes it slower; isolated errors do not', () => {
  const pace = afterThrottling(undefined, 0, 0, 0)
  assert.equal(slower(pace, 10), pace)
})

test('an outage that starts while it is throttled does not make it faster', () => {
  const pace = afterThrottling(undefined, 0, 0, 0)
  assert.equal([pace.perSecond, afterOutage(pace, 10).perSecond], [7, 7])
  assert.is(afterOutage(undefined, 10).perSecond, 10)
})

test('above 1000 per second it limits nothing', () => {
  const quick = Array.from({ length: 7000 }).reduce<Pace>(quicker, afterOutage(undefined, 0))
  assert.equal([quick.perSecond, paceWaitMs({ ...quick, nextAt: 5000 }, 0)], [1001, 0])
  assert.is(paceWaitMs({ ...quick, perSecond: 1000, nextAt: 4999.5 }, 0), 5000)
  assert.is(afterThrottling(quick, 30, 1, 2).perSecond, 21)
})

test('after a slow pace has not helped for two minutes, failures no longer slow it down', () => {
  const begun = afterOutage(undefined, 10_000)
  const slowest = Array.from({ length: 20 }).reduce<Pace>((pace) => slower(pace, 10_001), begun)
  const pace = heldUp(slowest, 110_000)
  assert.equal([pace.perSecond, inTime(pace, 130_000)], [1, pace])
  const later = inTime(pace, 130_001)
  assert.equal([later?.cause, later?.perSecond], ['outage-unrelated-to-rate', 10])
  assert.is(later && slower(later, 140_000).perSecond, 10)
})

test('while a slow pace helps, and after a 429, it stays slow', () => {
  const pace = heldUp(slower(afterOutage(undefined, 0), 1), 500_000)
  const throttled = { ...pace, cause: 'throttling', perSecond: 1 } as const
  for (const slow of [pace, { ...pace, perSecond: 2 }, throttled]) assert.equal(inTime(slow, 600_000), slow)
})

test('after a rest, the attempts of a tenth of a second may begin at once', () => {
  assert.is(takeStep(afterOutage(undefined, 0), 5000).nextAt, 5000)
  assert.is(takeStep(afterOutage(undefined, 5000), 5000).nextAt, 5100)
})

test('an attempt that was not made gives back its step', () => {
  const pace = afterOutage(undefined, 5000)
  assert.equal(giveBackStep(takeStep(pace, 5000)), pace)
})

test('it ends after it has delayed no attempt for two minutes', () => {
  const pace = heldUp(afterThrottling(undefined, 0, 0, 0), 5000)
  assert.equal([inTime(pace, 125_000), inTime(pace, 125_001)], [pace, undefined])
})

test('it is limiting for ten seconds after a first attempt had to wait, and only after an outage', () => {
  const pace = heldUp(afterOutage(undefined, 0), 5000)
  assert.equal([isLimiting(pace, 14_999), isLimiting(pace, 15_000)], [true, false])
  assert.is(isLimiting(afterThrottling(undefined, 0, 0, 0), 1), false)
})

test.run()
