import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { failureDelay } from '../../../src/bridge/http/failure-delay.ts'

const delays = suite('the delay after failures')
const given = () => {
  let now = 0
  const fail = failureDelay(() => now)
  const times = (count: number, address: string, accountId?: string) =>
    Array.from({ length: count }, () => fail(address, accountId))
  return { fail, times, pass: (ms: number) => (now += ms) }
}
const [address, another] = ['203.0.113.7', '203.0.113.8']
const atOnce = { waitMs: 0, isTooMany: false }

delays(
  'the first failures of an address are answered at once, later ones wait longer and longer, others do not',
  () => {
    const { fail, times } = given()
    assert.equal(
      times(55, address).map(({ waitMs }) => waitMs),
      [...Array(50).fill(0), 40, 80, 120, 160, 200],
    )
    assert.equal(fail(another), atOnce)
  },
)

delays('of 150 failures in a row 50 are answered at once, 51 within two seconds, and 49 are too many', () => {
  const answers = given().times(150, address)
  assert.equal(
    answers.map(({ isTooMany }) => isTooMany),
    [...Array(101).fill(false), ...Array(49).fill(true)],
  )
  assert.is(Math.max(...answers.slice(0, 101).map(({ waitMs }) => waitMs)), 2_040)
  assert.ok(answers.slice(101).every(({ waitMs }) => waitMs === 1_000))
})

delays('failures are too many until one of those that wait is answered', () => {
  const { fail, times, pass } = given()
  times(101, address)
  assert.equal([fail(address).isTooMany, fail(another).isTooMany], [true, false])
  pass(40)
  assert.equal([fail(address).isTooMany, fail(address).isTooMany], [false, true])
})

delays('answers to failures that are too many are delayed too, but at most 500 per second', () => {
  const { times, pass } = given()
  times(101, address)
  const waits = () => times(502, address).map(({ waitMs }) => waitMs)
  assert.equal(waits(), [...Array(500).fill(1_000), 0, 0])
  pass(1_000)
  times(25, address)
  assert.equal(waits(), [...Array(500).fill(1_000), 0, 0])
})

delays('failures of an account with an address count apart from others of the account, and of the address', () => {
  const { fail, times } = given()
  times(150, address, 'acme')
  assert.ok(fail(address, 'acme').isTooMany)
  for (const [from, accountId] of [[address], [address, 'guarded'], [another, 'acme']] as const)
    assert.equal(fail(from, accountId), atOnce)
})

for (const [name, from, to, isOne] of [
  ['the same 64 bits', '2001:db8:0:7::1', '2001:db8:0:7:ffff:ffff:ffff:ffff', true],
  ['the same 64 bits in front of zeros', '2001:db8::1', '2001:db8::2:3', true],
  ['other 64 bits', '2001:db8:0:7::1', '2001:db8:0:8::1', false],
  ['other 64 bits in front of zeros', '2001:db8:7::', '2001:db8:8::', false],
  ['other 64 bits behind zeros', '2001::7:1:2:3:4', '2001::8:1:2:3:4', false],
  ['other first bits', '2001:db8:0:7::1', '2002:db8:0:7::1', false],
  ['the same 64 bits, written in two ways', '::1', '0:0:0:0::2', true],
  ['IPv4', '203.0.113.7', '203.0.113.8', false],
] as const)
  delays(`addresses with ${name} are ${isOne ? 'one sender' : 'two senders'}`, () => {
    const { fail, times } = given()
    times(150, from)
    assert.is(fail(to).isTooMany, isOne)
  })

delays('it remembers the 10,000 senders that failed most recently', () => {
  const { fail, times } = given()
  const failOthers = (name: string, count: number) => {
    for (let i = 0; i < count; i++) fail(`${name}${i}`)
  }
  times(60, address)
  failOthers('a', 9_999)
  assert.is(fail(address).waitMs, 440)
  failOthers('b', 9_999)
  assert.is(fail(address).waitMs, 480)
  failOthers('c', 10_000)
  assert.equal(fail(address), atOnce)
})

delays('it forgets failures, and remembers at most 10,000 senders', () => {
  const { fail, times, pass } = given()
  times(60, address)
  pass(10_000)
  assert.equal(fail(address), atOnce)
  times(60, another)
  for (let i = 0; i < 10_000; i++) fail(`2001:db8:0:${i.toString(16)}::`)
  assert.equal(fail(another), atOnce)
})

delays.run()
