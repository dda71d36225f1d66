import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { failureDelay } from '../../../src/bridge/http/failure-delay.ts'

const delays = suite('the delay after failures')
const given = () => {
  let now = 0
  const delay = failureDelay(() => now)
  return { ...delay, pass: (ms: number) => (now += ms) }
}

delays(
  'the first failures of an address are answered at once, later ones are delayed more and more, others are not',
  () => {
    const { afterFailure } = given()
    const waits = Array.from({ length: 55 }, () => afterFailure('203.0.113.7'))
    assert.equal(waits.slice(48), [0, 0, 40, 80, 120, 160, 200])
    assert.is(afterFailure('203.0.113.8'), 0)
  },
)

delays('an address with too many delayed answers is refused until they are sent', () => {
  const { afterFailure, refusedAfter, pass } = given()
  for (let i = 0; i < 101; i++) afterFailure('203.0.113.7')
  assert.equal([refusedAfter('203.0.113.7'), refusedAfter('203.0.113.8')], [1000, undefined])
  pass(40)
  assert.is(refusedAfter('203.0.113.7'), undefined)
})

delays('refusals are delayed too, but at most 500 per second', () => {
  const { afterFailure, refusedAfter, pass } = given()
  for (let i = 0; i < 200; i++) afterFailure('203.0.113.7')
  const waits = () => Array.from({ length: 502 }, () => refusedAfter('203.0.113.7'))
  const expected = [...Array(500).fill(1000), 0, 0]
  assert.equal(waits(), expected)
  pass(1_000)
  assert.equal(waits(), expected)
})

delays('it forgets failures, and remembers at most 10,000 addresses', () => {
  const { afterFailure, pass } = given()
  for (let i = 0; i < 60; i++) afterFailure('203.0.113.7')
  pass(10_000)
  assert.is(afterFailure('203.0.113.7'), 0)
  for (let i = 0; i < 60; i++) afterFailure('203.0.113.9')
  for (let i = 0; i < 10_000; i++) afterFailure(`2001:db8::${i.toString(16)}`)
  assert.is(afterFailure('203.0.113.9'), 0)
})

delays.run()
