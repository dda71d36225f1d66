import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { clientAddresses, failureDelay, readNetworks } from '../../src/http/client-address.ts'
import { right } from '../support/either.ts'

const request = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage
const addressOf = (proxies: string, ...sent: Parameters<typeof request>) =>
  clientAddresses(proxies === '' ? [] : right(readNetworks(proxies)))(request(...sent))

const addresses = suite('the address of a client')

addresses('is the address of the connection if no proxy is trusted, with any headers', () => {
  assert.is(addressOf('', '203.0.113.7', '198.51.100.1'), '203.0.113.7')
  assert.is(addressOf('', '::ffff:203.0.113.7'), '203.0.113.7')
})

addresses('is the last address that is not a trusted proxy, since a client can write the addresses before it', () => {
  const proxies = '10.0.0.0/8, 2001:db8::/32'
  assert.is(addressOf(proxies, '10.1.2.3', '198.51.100.1, 203.0.113.7'), '203.0.113.7')
  assert.is(addressOf(proxies, '::ffff:10.1.2.3', '203.0.113.7, 10.9.9.9'), '203.0.113.7')
  assert.is(addressOf(proxies, '2001:db8::1', '2001:db9::2'), '2001:db9::2')
  assert.is(addressOf(proxies, '203.0.113.9', '203.0.113.7'), '203.0.113.9')
})

addresses('is the address of the proxy if it forwards no valid address', () => {
  for (const forwarded of [undefined, '', 'unknown', '10.0.0.2, secret'])
    assert.is(addressOf('10.0.0.0/8', '10.0.0.1', forwarded), '10.0.0.1')
})

addresses('invalid networks are named', () => {
  for (const wrong of ['10.0.0.0/33', 'example.com', '10.0.0.0/8/8', '::1/129', '10.0.0.0/x'])
    assert.equal(readNetworks(`127.0.0.1, ${wrong}`), E.left(wrong))
})

addresses.run()

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
