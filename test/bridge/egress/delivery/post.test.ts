import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { HttpRequest } from '../../../../src/bridge/egress/delivery/post.ts'
import { postToService } from '../../../../src/bridge/egress/delivery/post.ts'
import { networkFailure } from '../support/values.ts'

const test = suite('posting to the service')

const serve = async (listener: RequestListener) => {
  const sockets: Socket[] = []
  const server = createServer(listener)
  server.on('connection', (socket) => sockets.push(socket.on('error', () => undefined)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const request: HttpRequest = {
    url: `http://127.0.0.1:${port}/webhooks/prov1/token`,
    headers: { 'content-type': 'application/json' },
    body: '{"event":"INVITE_AGENT"}',
  }
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { request, sockets, close }
}

const closed = (socket: Socket | undefined) =>
  new Promise<unknown>((resolve) => (socket?.closed === false ? socket.on('close', resolve) : resolve(undefined)))

test('a POST with its headers and body, and the whole answer', async () => {
  const seen: unknown[] = []
  const { request, close } = await serve(async (req, res) => {
    const body = Buffer.concat(await req.toArray()).toString()
    seen.push({ method: req.method, url: req.url, type: req.headers['content-type'], body })
    res.writeHead(503, { 'retry-after': '7' }).end('{"error":{"code":"busy"}}')
  })
  const result = await postToService(request, 3000)
  assert.equal(result, E.right({ status: 503, headers: { retryAfter: '7' }, body: '{"error":{"code":"busy"}}' }))
  assert.equal(seen, [
    { method: 'POST', url: '/webhooks/prov1/token', type: 'application/json', body: '{"event":"INVITE_AGENT"}' },
  ])
  await close()
})

test('connections are kept alive', async () => {
  const { request, sockets, close } = await serve((_, res) => res.end('{}'))
  for (let i = 0; i < 20; i += 1) await postToService(request, 3000)
  assert.ok(sockets.length <= 2)
  await close()
})

test('a redirect is an answer and is not followed', async () => {
  let requests = 0
  const { request, close } = await serve((_, res) => {
    requests += 1
    res.writeHead(302, { location: '/elsewhere' }).end()
  })
  assert.equal(await postToService(request, 3000), E.right({ status: 302, headers: {}, body: '' }))
  assert.is(requests, 1)
  await close()
})

test('a missing answer is a timeout, and its socket is destroyed', async () => {
  const { request, sockets, close } = await serve(() => undefined)
  assert.equal(await postToService(request, 100), networkFailure('timeout'))
  await closed(sockets[0])
  await close()
})

test('an answer whose body does not end is a timeout, and its socket is destroyed', async () => {
  const { request, sockets, close } = await serve((_, res) => res.writeHead(200).write('{"result":'))
  assert.equal(await postToService(request, 100), networkFailure('timeout'))
  await closed(sockets[0])
  await close()
})

test('no more than 64 KiB of a body are read', async () => {
  const { request, sockets, close } = await serve((_, res) => {
    res.on('error', () => undefined)
    res.write('x'.repeat(1_000_000))
  })
  const result = await postToService(request, 3000)
  assert.is(E.isRight(result) && result.right.body.length, 65_536)
  await closed(sockets[0])
  await close()
})

test('a closed connection is a reset', async () => {
  const { request, close } = await serve((req) => req.socket.destroy())
  assert.equal(await postToService(request, 3000), networkFailure('ECONNRESET'))
  await close()
})

test('a connection that is closed within the body is a reset', async () => {
  const { request, close } = await serve((req, res) => {
    res.writeHead(200, { 'content-length': '100' }).write('{', () => req.socket.destroy())
  })
  assert.equal(await postToService(request, 3000), networkFailure('ECONNRESET'))
  await close()
})

test('a port without a listener is a refused connection', async () => {
  const { request, close } = await serve(() => undefined)
  await close()
  assert.equal(await postToService(request, 3000), networkFailure('ECONNREFUSED'))
})

test('an invalid header or URL is a failure, not an exception', async () => {
  const { request, close } = await serve((_, res) => res.end())
  assert.ok(E.isLeft(await postToService({ ...request, headers: { authorization: 'a\nb' } }, 3000)))
  assert.ok(E.isLeft(await postToService({ ...request, url: 'nowhere' }, 3000)))
  await close()
})

test.run()
