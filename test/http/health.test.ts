import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { never, send, start } from '../ingress/harness.ts'

const health = suite('health')

health('it is alive whatever its dependencies say, and answers GET and HEAD only', async () => {
  const { port, stop } = await start({ checks: { kafka: () => ({ ok: false, reason: 'no broker' }) } })
  assert.is((await send(port, '/livez', { method: 'GET' })).status, 200)
  assert.is((await send(port, '/livez', { method: 'HEAD' })).status, 200)
  const { status, headers } = await send(port, '/livez')
  assert.equal([status, headers.allow], [405, 'GET, HEAD'])
  await stop()
})

health('it is ready when all of its dependencies are', async () => {
  const { port, stop } = await start({
    checks: { kafka: () => ({ ok: true, reason: 'reached' }), mongodb: async () => ({ ok: true, reason: 'reached' }) },
  })
  const { status, body } = await send(port, '/readyz', { method: 'GET' })
  const reached = { ok: true, reason: 'reached' }
  assert.equal([status, body], [200, { ready: true, checks: { kafka: reached, mongodb: reached } }])
  await stop()
})

health('it is not ready with the reason of each dependency that is not', async () => {
  const { port, stop } = await start(
    {
      checks: {
        kafka: () => ({ ok: true, reason: 'reached' }),
        mongodb: () => ({ ok: false, reason: 'no primary' }),
        hanging: () => never(),
        broken: () => {
          throw new Error('secret')
        },
      },
    },
    { healthMs: 10 },
  )
  const { status, body } = await send(port, '/readyz', { method: 'GET' })
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

health('metrics are Prometheus’ text', async () => {
  const { port, stop } = await start()
  const { status, headers, text } = await send(port, '/metrics', { method: 'GET' })
  assert.equal([status, headers['content-type'], text], [200, 'text/plain; version=0.0.4; charset=utf-8', 'up 1\n'])
  await stop()
})

health.run()
