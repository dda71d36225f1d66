import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { filterMemory } from '../../../src/app/http/key-filter.ts'
import { serveHttp } from '../../../src/app/http/serve.ts'
import type { MainSide } from '../../../src/app/http/sides.ts'
import type { OutgoingRecord } from '../../../src/domain/ports.ts'
import { ingressMemory } from '../../../src/ingress/memory.ts'
import { accounts, send } from '../../ingress/harness.ts'
import { left, right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { sample } from '../../support/samples.ts'

const thread = () => ({
  ...{ accounts, logLevel: 'silent' as const },
  ...{ memory: ingressMemory(accounts.length), enriched: filterMemory() },
})
const path = '/webhooks/webhooks-token-acme'

const given = async (threads: number, over: Partial<MainSide> = {}) => {
  const records: OutgoingRecord[] = []
  const measured: string[] = []
  const keep = async (record: OutgoingRecord) => {
    records.push(record)
    return E.right(undefined)
  }
  const { listen, stop } = serveHttp(
    {
      publish: keep,
      append: keep,
      findEnrichments: async ([key = '']) => [[key, { crmLink: 'https://crm.example.com/1' }]],
      readiness: async () => ({ ready: true, checks: {} }),
      pulse: async () => {},
      metrics: async () => 'up 1\n',
      request: (api, status) => measured.push(`${api} ${status}`),
      quarantined: (api, reason) => measured.push(`${api} ${reason}`),
      ...over,
    },
    thread(),
    threads,
  )
  const { port } = right(await listen('127.0.0.1', 0))
  return { port, stop, records, measured }
}
const accepted = (chat: number) => JSON.stringify({ ...JSON.parse(sample('webhooks', 'chat_accepted')), chat_id: chat })

const serving = suite('HTTP on threads')

for (const threads of [1, 2])
  serving(`what ${threads} of them take in becomes records of the main thread, whose answers go back`, async () => {
    const { port, stop, records, measured } = await given(threads)
    const chats = Array.from({ length: 40 }, (_, i) => i)

    const replies = await Promise.all(chats.map((chat) => send(port, path, { body: accepted(chat) })))

    assert.ok(replies.every(({ status }) => status === 200))
    assert.equal(replies[0]?.body, { result: 'ok', crm_link: 'https://crm.example.com/1' })
    assert.equal(records.map(({ key }) => key).sort(), chats.map((chat) => `acme/${chat}`).sort())
    await eventually('each request to be measured', async () => measured.length === 40 || undefined)
    assert.equal([...new Set(measured)], ['webhooks 200'])
    await stop()
  })

serving('what cannot be understood comes as the bytes that were sent', async () => {
  const { port, stop, records, measured } = await given(1)
  const body = Buffer.from([0x7b, 0xff, 0x00, 0x7d])

  assert.is((await send(port, path, { body })).status, 400)

  assert.equal(
    records.map(({ topic, value }) => [topic, value]),
    [['quarantine', body]],
  )
  assert.ok(Buffer.isBuffer(records[0]?.value))
  await eventually('both to be measured', async () => measured.length === 2 || undefined)
  assert.equal(measured, ['webhooks invalid', 'webhooks 400'])
  await stop()
})

serving('health and metrics are those of the main thread', async () => {
  const readiness = { ready: false, checks: { kafka: { ok: false, reason: 'no broker' } } }
  const { port, stop } = await given(2, { readiness: async () => readiness })
  const page = async (name: string) => send(port, name, { method: 'GET' })
  const [live, ready, metrics] = [await page('/livez'), await page('/readyz'), await page('/metrics')]

  assert.equal([live.status, ready.status, ready.body, metrics.text], [200, 503, readiness, 'up 1\n'])
  await stop()
})

serving('a main thread that throws is answered 500, and what it threw is not told', async () => {
  const { port, stop } = await given(1, { publish: () => Promise.reject(new Error('secret')) })
  const { status, text } = await send(port, path, { body: accepted(1) })

  assert.is(status, 500)
  assert.not.match(text, /secret/)
  await stop()
})

serving('a port that another has is told, with any number of threads', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  for (const threads of [1, 2]) {
    const { stop, port: free } = await given(threads)
    const { listen, stop: stopSecond } = serveHttp({} as MainSide, thread(), threads)
    for (const taken of [port, free])
      assert.equal(left(await listen('127.0.0.1', taken)), {
        kind: 'permanent',
        reason: `127.0.0.1:${taken} is in use`,
      })
    await Promise.all([stop(), stopSecond()])
  }
  other.close()
})

serving('a stop waits for the answers that are under way', async () => {
  const { promise: durable, resolve } = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const { port, stop } = await given(2, {
    publish: async () => {
      asked.resolve()
      await durable
      return E.right(undefined)
    },
  })
  const reply = send(port, path, { body: accepted(1) })
  await asked.promise
  const stopped = stop()
  resolve()

  assert.is((await reply).status, 200)
  await stopped
})

serving.run()
