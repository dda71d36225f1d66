import { createRequire } from 'node:module'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import '../../../src/bridge/kafka/kafkajs-patches/request-queue.ts'

type Queue = {
  throttledUntil: number
  readonly throttleCheckTimeoutId: NodeJS.Timeout | null
  readonly pending: unknown[]
  readonly push: (request: object) => void
  readonly checkPendingRequests: () => void
  readonly destroy: () => void
}
const RequestQueue: new (options: object) => Queue = createRequire(import.meta.url)(
  'kafkajs/src/network/requestQueue/index.js',
)
const silent = () => undefined
const newQueue = () =>
  new RequestQueue({
    maxInFlightRequests: null,
    requestTimeout: 1_000,
    enforceRequestTimeout: false,
    clientId: 'c',
    broker: 'b',
    logger: { debug: silent, warn: silent },
  })
const request = (correlationId: number, sendRequest: () => void) => ({
  entry: { correlationId, resolve: silent, reject: silent },
  expectResponse: true,
  sendRequest,
})

const requestQueue = suite("kafkajs's request queue, patched")

requestQueue('no timer runs while no request waits', () => {
  const queue = newQueue()

  queue.checkPendingRequests()

  assert.is(queue.throttleCheckTimeoutId, null)
})

requestQueue('a throttled request is sent when the throttling ends', async () => {
  const queue = newQueue()
  const { promise: sent, resolve } = Promise.withResolvers<void>()
  queue.throttledUntil = Date.now() + 20

  queue.push(request(1, resolve))

  assert.is(queue.pending.length, 1)
  await sent
  assert.equal([queue.pending.length, queue.throttleCheckTimeoutId], [0, null])
  queue.destroy()
})

requestQueue('a request whose throttling ends at this moment is sent too', async () => {
  const queue = newQueue()
  const { promise: sent, resolve } = Promise.withResolvers<void>()
  queue.throttledUntil = Date.now() + 20
  queue.push(request(1, resolve))
  queue.throttledUntil = Date.now()

  await sent

  assert.is(queue.pending.length, 0)
  queue.destroy()
})

requestQueue.run()
