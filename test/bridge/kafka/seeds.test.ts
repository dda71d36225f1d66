import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hostOf, seedOf } from '../../../src/bridge/kafka/sockets.ts'

const seeds = suite('seed brokers')

seeds('an IPv6 address survives a split at the first colon', () => {
  for (const address of ['::1', 'fd00::2', '2001:db8:0:0:1:0:0:1', '::ffff:7f00:1']) {
    const [host = '', port, ...rest] = seedOf(`[${address}]:9092`).split(':')
    assert.equal([hostOf(host), port, rest], [address, '9092', []])
  }
})

seeds('names and IPv4 addresses stay unchanged', () => {
  for (const broker of ['kafka-1.example.com:9092', '10.0.0.1:9092']) assert.is(seedOf(broker), broker)
  assert.is(hostOf('kafka-1.example.com'), 'kafka-1.example.com')
})

seeds.run()
