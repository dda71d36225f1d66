import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { clientAddresses, readNetworks } from '../../../src/bridge/http/client-address.ts'
import { right } from '../../support/either.ts'

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
