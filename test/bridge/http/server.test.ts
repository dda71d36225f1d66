import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { sample } from '../../support/samples.ts'
import { build, send, start } from '../ingress/harness.ts'
import { parse, raw } from './raw.ts'

const accepted = sample('webhooks', 'chat_accepted')
const message = sample('bot-api', 'CLIENT_MESSAGE')
const hooks = '/webhooks/webhooks-token-acme'
const bot = '/bot/bot-token-of-acme'
const head = (path: string, length: number | 'chunked') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`}\r\n\r\n`
const invalid = (text: string) => ({ error: { code: 'invalid_request', message: text } })
const timeouts = { headersMs: 60, requestMs: 120, checkMs: 10 }

const server = suite('server')

server('input that is not HTTP is answered 400, and its connection is closed', async () => {
  const { port, stop } = await start()
  for (const bytes of ['hello\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n', 'BREW /pot HTTP/1.1\r\nHost: x\r\n\r\n'])
    assert.equal(parse(await raw(port, bytes)), {
      status: 400,
      closes: true,
      body: invalid('the request is not HTTP/1.1'),
    })
  assert.is(parse(await raw(port, `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)).status, 431)
  await stop()
})

server('connections with too slow headers or bodies are closed', async () => {
  const { port, stop, published } = await start({}, timeouts)
  assert.is(parse(await raw(port, 'POST / HTTP/1.1\r\nHost:')).status, 408)
  assert.is(parse(await raw(port, `${head(hooks, 100)}{`)).status, 408)
  assert.equal(published, [])
  await stop()
})

server('a too slow body of a bot event is answered 408 in time', async () => {
  const { port, stop, published } = await start({}, { ...timeouts, botMs: 30 })
  const { status, closes } = parse(await raw(port, `${head(bot, 100)}{`))
  assert.equal([status, closes], [408, true])
  assert.equal(published, [])
  await stop()
})

server('the answer to an endless body is sent before the connection is closed', async () => {
  const { port, stop } = await start({}, { bodyBytes: 1000, drainMs: 50 })
  const chunk = `400\r\n${'x'.repeat(1024)}\r\n`
  const answer = await raw(port, head(hooks, 'chunked'), (write) => {
    const timer = setInterval(() => {
      if (!write(chunk)) clearInterval(timer)
    }, 1)
  })
  const { status, closes } = parse(answer)
  assert.equal([status, closes], [413, true])
  await stop()
})

server('an incomplete body is not an event', async () => {
  const { port, stop, published, appended, logged } = await start()
  const socket = connect(port, '127.0.0.1', () => socket.write(`${head(hooks, 100)}{`, () => socket.destroy()))
  while (logged.length === 0) await new Promise(setImmediate)
  assert.equal([published, appended], [[], []])
  assert.equal(
    logged.map(({ level, message }) => [level, message]),
    [['info', 'a request was refused']],
  )
  await stop()
})

server('any exception is answered 500 without details, and logged without its message', async () => {
  const { port, stop, logged } = await start({
    publish: async () => {
      throw new Error('John Smith')
    },
  })
  const webhook = await send(port, hooks, { body: accepted })
  const error = { code: 'server_error', message: 'the request could not be processed' }
  assert.equal([webhook.status, webhook.body], [500, { result: 'error', error }])
  assert.equal((await send(port, bot, { body: message })).body, { error })
  assert.is(logged.filter(({ level }) => level === 'error').length, 2)
  assert.not.match(JSON.stringify(logged), 'John Smith')
  await stop()
})

server('each request is logged with its route and ids, never with its path', async () => {
  const { port, stop, logged, published } = await start({ monotonic: () => 5 })
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const headers = { 'x-request-id': 'request-1', traceparent: `00-${traceId}-b7ad6b7169203331-01` }
  const { headers: answered } = await send(port, bot, {
    body: message,
    headers: { ...headers, 'content-type': 'application/json' },
  })
  await send(port, '/nothing/bot-token-of-acme', { method: 'GET', headers })
  assert.is(answered['x-request-id'], 'request-1')
  assert.equal(JSON.parse(JSON.stringify(logged)), [
    {
      level: 'debug',
      fields: {
        method: 'POST',
        route: '/bot/:token',
        status: 200,
        ms: 0,
        requestId: 'request-1',
        traceId,
        accountId: 'acme',
        eventId: published[0]?.id,
      },
      message: 'a request was answered',
    },
    {
      level: 'info',
      fields: { method: 'GET', status: 404, ms: 0, requestId: 'request-1', traceId },
      message: 'a request was refused',
    },
  ])
  await stop()
})

server('a well-formed traceparent is passed on, any other is replaced, and so are request ids', async () => {
  const { port, stop, published } = await start()
  const own = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const wrong = [
    `${own}-x`,
    own.replace('0af7651916cd43dd8448eb211c80319c', '0'.repeat(32)),
    own.replace('00-', 'ff-'),
    'x',
  ]
  for (const [i, traceparent] of [own, ...wrong].entries()) {
    const headers = { traceparent, 'content-type': 'application/json', 'x-request-id': 'not one word' }
    const reply = await send(port, bot, { body: message.replace('9661ab9c', String(i)), headers })
    assert.match(String(reply.headers['x-request-id']), /^[0-9a-f-]{36}$/)
  }
  const [first, ...others] = published.map(({ traceparent }) => traceparent)
  assert.is(first, own)
  assert.is(new Set(others).size, 4)
  for (const each of others) assert.match(String(each), /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
  await stop()
})

server('stopping answers the requests in flight, closes their connections, and accepts no more', async () => {
  const { promise, resolve } = Promise.withResolvers<E.Either<never, 'kafka'>>()
  const begun = Promise.withResolvers<void>()
  const publish = () => {
    begun.resolve()
    return promise
  }
  const { port, stop } = await start({ publish }, { leaveMs: 0 })
  const inFlight = send(port, hooks, {
    body: accepted,
    headers: { connection: 'keep-alive', 'content-type': 'application/json' },
  })
  await begun.promise
  const stopped = stop()
  const ask = () =>
    send(port, '/livez', { method: 'GET' }).then(
      ({ status }) => status,
      (e: NodeJS.ErrnoException) => e.code,
    )
  // Repeats until the server does not listen any more. At that moment a connection may be reset.
  let refused = await ask()
  while (refused === 200 || refused === 'ECONNRESET') refused = await ask()
  resolve(E.right('kafka'))
  const { status, headers } = await inFlight
  assert.equal([refused, status, headers.connection], ['ECONNREFUSED', 200, 'close'])
  await stopped
})

const keeping = (port: number) => {
  const agent = new Agent({ keepAlive: true })
  const ask = (path: string) =>
    new Promise<readonly [number | undefined, string | undefined]>((resolve) =>
      get({ port, path, agent }, (res) =>
        res.resume().on('end', () => resolve([res.statusCode, res.headers.connection])),
      ),
    )
  return { ask, leave: () => agent.destroy() }
}

server('stopping is shown by readiness first, and requests are still answered normally for some time', async () => {
  const { port, stop, published } = await start({}, { leaveMs: 60_000 })
  const { ask, leave } = keeping(port)
  await ask('/livez')
  const stopped = stop()
  assert.equal(await ask('/readyz'), [503, 'keep-alive'])
  const readiness = await send(port, '/readyz', { method: 'GET' })
  assert.is(readiness.text, 'unready')
  assert.is((await send(port, hooks, { body: accepted })).status, 200)
  assert.is(published.length, 1)
  leave()
  await stopped
})

server('stopping then closes each connection with the answer to its next request', async () => {
  const { port, stop } = await start({}, { leaveMs: 0, closeOnNextResponseMs: 60_000 })
  const { ask, leave } = keeping(port)
  await ask('/livez')
  const stopped = stop()
  const listens = () =>
    send(port, '/livez', { method: 'GET' }).then(
      () => true,
      ({ code }: NodeJS.ErrnoException) => code !== 'ECONNREFUSED',
    )
  while (await listens());
  assert.equal(await ask('/livez'), [200, 'close'])
  await stopped
  leave()
})

server('stopping waits for no client longer than its limit', async () => {
  const begun = Promise.withResolvers<void>()
  const { port, stop } = await start(
    {
      publish: async () => {
        begun.resolve()
        return new Promise(() => undefined)
      },
    },
    { graceMs: 10 },
  )
  const inFlight = send(port, hooks, { body: accepted }).catch((e: NodeJS.ErrnoException) => e.code)
  await begun.promise
  await stop()
  assert.is(await inFlight, 'ECONNRESET')
})

server('idle connections do not hold up stopping', async () => {
  const { port, stop } = await start()
  const agent = new Agent({ keepAlive: true })
  await new Promise((resolve) => get({ port, path: '/livez', agent }, (res) => res.resume().on('end', resolve)))
  await stop()
  agent.destroy()
})

server('a connection may be idle for longer once it had a request with a right token, others may not', async () => {
  const { port, stop } = await start({}, { keepAliveMs: 1, admittedKeepAliveMs: 60_000 })
  const opened = (...requests: ReadonlyArray<string>) => {
    const socket = connect(port, '127.0.0.1')
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    const ask = (bytes: string) =>
      new Promise<string>((resolve) => socket.once('data', (answer) => resolve(answer.toString())).write(bytes))
    const asked = requests.reduce(
      (before, bytes) => before.then(async (answers) => [...answers, await ask(bytes)]),
      Promise.resolve<ReadonlyArray<string>>([]),
    )
    return { socket, closed, asked }
  }
  const limitIn = (answer: string) => /^keep-alive: timeout=(\d+)/im.exec(answer)?.[1]
  const webhook = `${head(hooks, Buffer.byteLength(accepted))}${accepted}`
  const stranger = `${head('/webhooks/wrong', 2)}{}`
  const probe = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'
  const history = '/history/acme/2037 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer history-token-of-acme\r\n\r\n'
  const grant = 'grant_type=client_credentials&client_id=guarded-client&client_secret=guarded+secret%2Bkey%2F1'
  const token = `POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${grant.length}\r\n\r\n${grant}`
  const kept = [opened(webhook), opened(webhook, stranger, probe), opened(`GET ${history}`), opened(token)]
  assert.equal(
    (await Promise.all(kept.map(({ asked }) => asked))).map((answers) => answers.map(limitIn)),
    [['60'], ['60', '60', '60'], ['60'], ['60']],
  )
  const guarded = `${head('/bot/bot-token-guarded', 2)}{}`
  const others = [opened(stranger), opened(probe), opened(guarded)]
  const answers = await Promise.all(others.map(({ asked }) => asked))
  assert.not.ok(answers.flat().map(limitIn).includes('60'))
  await Promise.all(others.map(({ closed }) => closed))
  assert.equal(
    kept.map(({ socket }) => socket.readyState),
    kept.map(() => 'open'),
  )
  for (const { socket } of kept) socket.destroy()
  await stop()
})

server('an address in use is reported as a failure', async () => {
  const { port, stop } = await start()
  const second = await build().ingress.listen('127.0.0.1', port)
  assert.equal(second, E.left({ kind: 'permanent', reason: `127.0.0.1:${port} is in use` }))
  await stop()
})

server.run()
