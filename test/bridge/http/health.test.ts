import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { never, send, start, startOperators } from '../ingress/harness.ts'

const get = { method: 'GET' }
const noBroker = () => ({ ok: false, reason: 'no broker' })

const health = suite('health')

for (const [whose, begin] of [
  ['the public port', () => start({ checks: { kafka: noBroker } })],
  ["the operators' port", () => startOperators({ kafka: noBroker })],
] as const)
  health(`${whose} is alive independent of the dependencies, and answers GET and HEAD only`, async () => {
    const { port, stop } = await begin()
    assert.is((await send(port, '/livez', get)).status, 200)
    assert.is((await send(port, '/livez', { method: 'HEAD' })).status, 200)
    const { status, headers } = await send(port, '/livez')
    assert.equal([status, headers.allow], [405, 'GET, HEAD'])
    await stop()
  })

health('the public port answers with one word, and has no metrics', async () => {
  for (const [ok, status, word] of [
    [true, 200, 'ready'],
    [false, 503, 'unready'],
  ] as const) {
    const { port, stop } = await start({ checks: { 'acme’s service': () => ({ ok, reason: 'a reason' }) } })
    const replies = [await send(port, '/livez', get), await send(port, '/readyz', get)]
    assert.equal(
      replies.map((reply) => [reply.status, reply.headers['content-type'], reply.text]),
      [
        [200, 'text/plain; charset=utf-8', 'alive'],
        [status, 'text/plain; charset=utf-8', word],
      ],
    )
    assert.is((await send(port, '/metrics', get)).status, 404)
    await stop()
  }
})

health('the public port checks its dependencies once per second, however often it is called', async () => {
  let asked = 0
  let now = 0
  const checks = {
    kafka: () => {
      asked++
      return { ok: asked === 1, reason: '' }
    },
  }
  const { port, stop } = await start({ checks, monotonic: () => now })
  const ask = async () => (await send(port, '/readyz', get)).status

  const first = await Promise.all([ask(), ask(), ask()])
  now = 999
  assert.equal([...first, await ask(), asked], [200, 200, 200, 200, 1])
  now = 1000
  assert.equal([await ask(), asked], [503, 2])
  await stop()
})

health('the operators’ port is ready when all dependencies are', async () => {
  const reached = { ok: true, reason: 'reached' }
  const { port, stop } = await startOperators({ kafka: () => reached, mongodb: async () => reached })
  const { status, body } = await send(port, '/readyz', get)
  assert.equal([status, body], [200, { ready: true, checks: { kafka: reached, mongodb: reached } }])
  await stop()
})

health('the operators’ port is not ready with the reason of each dependency that is not', async () => {
  const { port, stop } = await startOperators(
    {
      kafka: () => ({ ok: true, reason: 'reached' }),
      mongodb: () => ({ ok: false, reason: 'no primary' }),
      hanging: () => never(),
      broken: () => {
        throw new Error('secret')
      },
    },
    { healthMs: 10 },
  )
  const { status, body } = await send(port, '/readyz', get)
  assert.is(status, 503)
  assert.equal(body, {
    ready: false,
    checks: {
      kafka: { ok: true, reason: 'reached' },
      mongodb: { ok: false, reason: 'no primary' },
      hanging: { ok: false, reason: 'no answer in time' },
      broken: { ok: false, reason: 'the check itself failed' },
    },
  })
  await stop()
})

health('metrics have the text format of Prometheus', async () => {
  const { port, stop } = await startOperators()
  const { status, headers, text } = await send(port, '/metrics', get)
  assert.equal([status, headers['content-type'], text], [200, 'text/plain; version=0.0.4; charset=utf-8', 'up 1\n'])
  await stop()
})

health('metrics are collected at most ten times per second, however often they are read', async () => {
  let gathered = 0
  let now = 0
  const metrics = async () => `gathered ${++gathered}\n`
  const { port, stop } = await startOperators({}, {}, { metrics, monotonic: () => now })
  const read = async () => (await send(port, '/metrics', get)).text
  const first = await Promise.all([read(), read()])
  now = 99
  assert.equal([...first, await read()], Array(3).fill('gathered 1\n'))
  now = 100
  assert.is(await read(), 'gathered 2\n')
  await stop()
})

health.run()
