import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { clientAddresses, readNetworks } from '../../../src/bridge/http/client-address.ts'
import { right } from '../../support/either.ts'

const request = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage
const warned: unknown[] = []
const log = { warn: (fields: object, message: string) => void warned.push([fields, message]) }
const addressOf = (proxies: string, ...sent: Parameters<typeof request>) =>
  clientAddresses(proxies === '' ? [] : right(readNetworks(proxies)), log)(request(...sent))

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

addresses.before.each(() => {
  warned.length = 0
})

const [ipv4, ipv6] = ['203.0.113.7', '2001:db8::7']
const entries = [
  ['203.0.113.7:51234', ipv4],
  ['"203.0.113.7"', ipv4],
  ['"203.0.113.7:51234"', ipv4],
  ['::ffff:203.0.113.7', ipv4],
  ['[::ffff:cb00:7107]:51234', ipv4],
  ['2001:DB8:0:0::7', ipv6],
  ['[2001:db8::7]', ipv6],
  ['[2001:db8::7]:51234', ipv6],
  ['"[2001:db8::7]:51234"', ipv6],
  ['198.51.100.1:4711, "[2001:db8::7]:51234"', ipv6],
  ['198.51.100.1, 203.0.113.7:51234, 10.0.0.2:443', ipv4],
  ['unknown, 203.0.113.7:51234, [fd00::1]:443, "10.0.0.2:443"', ipv4],
  [', 203.0.113.7 ,', ipv4],
] as const
for (const [forwarded, address] of entries)
  addresses(`in the form ${forwarded} is ${address}`, () => {
    assert.is(addressOf('10.0.0.0/8, fd00::/8', '10.0.0.1', forwarded), address)
    assert.equal(warned, [])
  })

addresses('is the address of the proxy if it forwards none, or only trusted ones', () => {
  for (const forwarded of [undefined, '', ',']) assert.is(addressOf('10.0.0.0/8', '10.0.0.1', forwarded), '10.0.0.1')
  assert.is(addressOf('10.0.0.0/8', '10.0.0.1', '10.0.0.2'), '10.0.0.2')
  assert.equal(warned, [])
})

for (const entry of [
  'unknown',
  '_hidden',
  'secret',
  '203.0.113.7:port',
  '203.0.113.7:512345',
  '203.0.113.256',
  '203.0.113.7]',
  '[203.0.113.7]:51234',
  '[2001:db8::7',
  '[]',
  '"',
  'for=203.0.113.7',
  '203.0.113.7 198.51.100.1',
])
  addresses(`is the address of the proxy if it forwards ${entry}, which is logged without its text`, () => {
    assert.is(addressOf('10.0.0.0/8', '10.0.0.1', `198.51.100.1, ${entry}, 10.0.0.2`), '10.0.0.2')
    const message = 'X-Forwarded-For: expected an address from this proxy; its clients count as one'
    assert.equal(warned, [[{ proxy: '10.0.0.2' }, message]])
  })

addresses('is not read in the header Forwarded', () => {
  const forwarded = { socket: { remoteAddress: '10.0.0.1' }, headers: { forwarded: 'for=203.0.113.7' } }
  const req = forwarded as unknown as IncomingMessage
  assert.is(clientAddresses(right(readNetworks('10.0.0.0/8')), log)(req), '10.0.0.1')
})

addresses('invalid networks are named', () => {
  for (const wrong of ['10.0.0.0/33', 'example.com', '10.0.0.0/8/8', '::1/129', '10.0.0.0/x'])
    assert.equal(readNetworks(`127.0.0.1, ${wrong}`), E.left(wrong))
})

addresses.run()
