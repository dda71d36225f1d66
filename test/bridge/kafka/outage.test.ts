import { once } from 'node:events'
import { createServer } from 'node:net'
import { Kafka, logLevel } from 'kafkajs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { adminConnection, brokerHealth } from '../../../src/bridge/kafka/admin.ts'
import { trackedSockets } from '../../../src/bridge/kafka/sockets.ts'

/** A port on which nothing listens any more. */
const closedPort = async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

const outage = suite('an outage of Kafka')

outage('the health says what is wrong and since when, the same time for as long as the outage lasts', async () => {
  const place = `127.0.0.1:${await closedPort()}`
  const sockets = trackedSockets(1_000)
  const kafka = () =>
    new Kafka({
      brokers: [place],
      logLevel: logLevel.NOTHING,
      socketFactory: sockets.factory,
      retry: { retries: 0 },
    })
  const { ask, close } = adminConnection(() => ({ kafka: kafka(), sockets: { ...sockets, close: () => undefined } }))
  let now = 0
  const health = brokerHealth(
    ask,
    () => ({ records: 0, bytes: 0, oldestMs: 0, failing: [] }),
    () => now,
  )
  const first = await health()
  now += 60_000
  const second = await health()
  await close()
  assert.equal(first, second)
  assert.is(first.ok, false)
  const sentence = /^Kafka cannot be reached since (\S+): nothing listens at (\S+)$/.exec(first.reason)
  assert.is(sentence?.[2], place, first.reason)
  assert.ok(Date.parse(sentence?.[1] ?? '') <= Date.now())
})

outage('a question after the end opens no connection', async () => {
  let clients = 0
  const { ask, close } = adminConnection(() => {
    clients++
    return {
      kafka: new Kafka({ brokers: ['127.0.0.1:1'], logLevel: logLevel.NOTHING }),
      sockets: trackedSockets(1_000),
    }
  })
  await close()
  const refused = await ask((admin) => admin.listTopics()).catch((error: Error) => error.message)
  assert.equal([refused, clients], ['the connection to Kafka is closed', 0])
})

/** A connection whose clients answer each question. `closed` has the numbers of the clients that were given up. */
const toFakeBroker = () => {
  let clients = 0
  const closed: Array<number> = []
  const connection = adminConnection(() => {
    const client = ++clients
    const kafka = new Kafka({ brokers: ['127.0.0.1:1'], logLevel: logLevel.NOTHING })
    const admin = { ...kafka.admin(), connect: async () => {}, disconnect: async () => {} }
    return {
      kafka: Object.assign(kafka, { admin: () => admin }),
      sockets: { ...trackedSockets(1_000), close: () => void closed.push(client) },
    }
  })
  return { ...connection, closed }
}

const refusal = Object.assign(new Error('not the leader'), {
  name: 'KafkaJSProtocolError',
  type: 'NOT_LEADER_FOR_PARTITION',
})

outage(
  'a question that the broker refuses leaves the others their connection, and the next one has a new one',
  async () => {
    const { ask, close, closed } = toFakeBroker()
    const held = Promise.withResolvers<string>()
    const other = ask(() => held.promise)
    const refused = await ask(() => Promise.reject(refusal)).catch((error: unknown) => error)
    assert.equal([refused, await ask(async () => 'next'), closed], [refusal, 'next', []])
    held.resolve('answered')
    assert.equal([await other, closed], ['answered', [1]])
    await close()
    assert.equal(closed, [1, 2])
  },
)

outage('a question that gets no answer takes the others with it, and so does the end', async () => {
  const { ask, close, closed } = toFakeBroker()
  const held = Promise.withResolvers<string>()
  const unanswered = () => ask(() => held.promise, 1).catch(() => undefined)
  const others = [ask(() => held.promise)]
  await unanswered()
  assert.equal(closed, [1])
  others.push(ask(() => held.promise))
  await ask(() => Promise.reject(refusal)).catch(() => undefined)
  await close()
  assert.equal(closed, [1, 2])
  held.resolve('answered')
  await Promise.all(others)
  assert.equal(closed, [1, 2])
})

outage.run()
