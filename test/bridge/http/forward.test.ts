import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Router from '@koa/router'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { unmeasured } from '../../../src/bridge/domain/metrics.ts'
import type { Ctx, State } from '../../../src/bridge/http/answer.ts'
import { connectionOf } from '../../../src/bridge/http/client-address.ts'
import { forwardRouter, fromClients, fromPeerOnly, peerHeaders, peerRouter } from '../../../src/bridge/http/forward.ts'
import { createHttpServer, type Routers } from '../../../src/bridge/http/server.ts'
import { isLocal } from '../../../src/console/access/guard.ts'
import { right } from '../../support/either.ts'
import { silent } from '../../support/silent-log.ts'
import { send } from '../ingress/harness.ts'
import { raw } from './raw.ts'

const deps = { log: silent, measure: unmeasured, monotonic: () => performance.now() }
const limits = { leaveMs: 0, closeOnNextResponseMs: 0, graceMs: 100 }
const token = 'the token of both processes, 43 characters.'

const serverOf = async (routers: Routers, admit: Parameters<typeof createHttpServer>[3]) => {
  const server = createHttpServer(deps, routers, limits, admit)
  return { stop: server.stop, ...right(await server.listen('127.0.0.1', 0)) }
}

/** Back tells what arrives and whether it takes it for local. `others` has what another server was asked. */
const given = async () => {
  const arrived: string[] = []
  const tell = new Router<State>().all('/{*any}', (ctx: Ctx) => {
    arrived.push(ctx.url)
    ctx.body = { url: ctx.url, isLocal: isLocal(ctx), localPort: connectionOf(ctx.req).localPort, sent: ctx.headers }
  })
  const ofBack = { token, url: () => undefined }
  const answersOfBack = peerRouter(ofBack, { secret: () => 'known to the peer only' }, 1_000)
  const back = await serverOf(() => [answersOfBack, tell], fromPeerOnly(ofBack))
  const peer = { token, url: () => `http://127.0.0.1:${back.port}` }
  const front = await serverOf(
    () => [peerRouter(peer, { readiness: () => 'ready' }, 1_000), forwardRouter('/console', peer)],
    fromClients,
  )
  const others: unknown[] = []
  const other = createServer((req, res) => {
    others.push([req.url, req.headers])
    res.end('another server')
  })
  await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve))
  return {
    front: front.port,
    back: back.port,
    other: (other.address() as AddressInfo).port,
    arrived,
    others,
    stop: async () => {
      await Promise.all([front.stop(), back.stop()])
      other.close()
    },
  }
}

const here = await given()
const forward = suite('the operators’ port passes requests on')
forward.after(here.stop)
forward.before.each(() => {
  here.arrived.length = 0
})

const ask = async (port: number, line: string, headers: ReadonlyArray<string> = []) => {
  const answer = await raw(port, `${[line, 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`)
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1])
  return { status, told: status === 200 ? JSON.parse(body) : body }
}
const host = `Host: 127.0.0.1:${here.front}`

for (const target of [
  `http://127.0.0.1:${here.other}/console/x`,
  `HTTP://127.0.0.1:${here.other}/console/x`,
  `//127.0.0.1:${here.other}/console/x`,
  `/\\127.0.0.1:${here.other}/console/x`,
  `http://127.0.0.1:${here.back}/peer/secret`,
  `http://127.0.0.1:${here.front}/console/x`,
])
  forward(`the target ${target.replace(/\d{4,}/, 'PORT')} is refused, and no server is asked`, async () => {
    const { status, told } = await ask(here.front, `GET ${target} HTTP/1.1`, [host])
    const message = 'target: expected a path, which begins with one slash'
    assert.equal([status, JSON.parse(told)], [400, { error: { code: 'invalid_request', message } }])
    assert.equal([here.others, here.arrived], [[], []])
  })

forward('neither OPTIONS * nor CONNECT leads anywhere', async () => {
  assert.is((await ask(here.front, 'OPTIONS * HTTP/1.1', [host])).status, 400)
  assert.is((await ask(here.front, `CONNECT 127.0.0.1:${here.other} HTTP/1.1`, [host])).told, '')
  assert.equal([here.others, here.arrived], [[], []])
})

for (const target of [
  '/console/../peer/secret',
  '/console/%2e%2e/peer/secret?a=b',
  '/console/..\\peer\\secret',
  '/console//127.0.0.1/x?next=//127.0.0.1/',
  '/console/@127.0.0.1/x#y',
])
  forward(`the path ${target} arrives as it came`, async () => {
    assert.is((await ask(here.front, `GET ${target} HTTP/1.1`, [host])).told.url, target)
  })

forward('a request to upgrade the connection is passed on as any other', async () => {
  const { status, told } = await ask(here.front, 'GET /console/x HTTP/1.1', [host, 'Upgrade: websocket'])
  assert.equal([status, told.sent.upgrade], [200, undefined])
})

forward('a request without a host gets none from this process', async () => {
  assert.is((await ask(here.front, 'GET /console/x HTTP/1.0')).status, 400)
  assert.equal(here.arrived, [])
})

type Row = readonly [who: string, headers: ReadonlyArray<string>, isLocal: boolean]
const clients: ReadonlyArray<Row> = [
  ['a client on this machine', [], true],
  ['a client that names another connection', ['X-Bridge-Address: 10.0.0.7', 'X-Bridge-Port: 1'], true],
  ['a client behind a proxy', ['X-Forwarded-For: 10.0.0.7'], false],
  ['a client that has its proxy’s header removed', ['X-Forwarded-For: 10.0.0.7', 'Connection: x-forwarded-for'], false],
  ['a process of this bridge', [`X-Bridge-Token: ${token}`], false],
  ['a process of another bridge', ['X-Bridge-Token: x'], false],
]
for (const [who, headers, expected] of clients)
  forward(`${who} is ${expected ? '' : 'not '}local`, async () => {
    const { told } = await ask(here.front, 'GET /console/x HTTP/1.1', [host, ...headers])
    assert.equal([told.isLocal, told.localPort], [expected, who.startsWith('a process') ? undefined : here.front])
  })

forward('a client whose connection has ended meanwhile is not local', async () => {
  const sent = Object.entries({ ...peerHeaders({ token, url: () => undefined }), 'X-Bridge-Address': '' })
  const { told } = await ask(here.back, 'GET /console/x HTTP/1.1', [
    `Host: 127.0.0.1:${here.back}`,
    ...sent.map(([name, value]) => `${name}: ${value}`),
  ])
  assert.is(told.isLocal, false)
})

forward('another token is refused, whatever its characters', async () => {
  const eAcute = 'é'.repeat(token.length)
  for (const wrong of ['', 'x', token.replace('t', 'T'), eAcute]) {
    const headers = { 'x-bridge-token': wrong }
    assert.is((await send(here.front, '/peer/readiness', { method: 'GET', headers })).status, 404)
  }
})

forward.run()
