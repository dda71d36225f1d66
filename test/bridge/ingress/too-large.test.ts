import { connect } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import type { Failure, OutgoingRecord } from '../../../src/bridge/domain/log/record.ts'
import { eventually } from '../../support/eventually.ts'
import { sample } from '../../support/samples.ts'
import { send, start } from './harness.ts'

const hooks = '/webhooks/webhooks-token-acme'
const bot = '/bot/bot-token-of-acme'
const finished = JSON.parse(sample('webhooks', 'chat_finished'))
const text = 'x'.repeat(2_000_000)
const long = JSON.stringify({ ...finished, plain_messages: text, html_messages: text })
const message = sample('bot-api', 'CLIENT_MESSAGE')
const refused: E.Either<Failure, never> = E.left({ kind: 'too-large', reason: 'over max.message.bytes' })
const mebibyte = 1024 * 1024

/** A Kafka that accepts events of at most this many bytes, and records them. */
const kafkaOf = (mostBytes: number) => {
  const taken: DomainEvent[] = []
  const publish = async (event: DomainEvent) => {
    if (JSON.stringify(event.data).length > mostBytes) return refused
    taken.push(event)
    return E.right('kafka' as const)
  }
  return { taken, publish }
}

const large = suite('bodies and events that are large')

/** Sends the beginning of a body and no more. */
const slowly = (port: number, path: string, declared: number, sent: number) => {
  const socket = connect(port, '127.0.0.1')
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${declared}\r\n\r\n`
  socket.write(head)
  socket.write(Buffer.alloc(sent, 0x20))
  const answered = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))))
  return { answered, end: () => socket.destroy(), sayNoMore: () => socket.end() }
}

large('the end of a long chat is accepted: 4 MB', async () => {
  const { port, stop, published } = await start()
  assert.is((await send(port, hooks, { body: long })).status, 200)
  const [event] = published
  assert.ok(event?.type === 'ChatFinished')
  assert.equal([event.data.plainMessages?.length, event.data.omitted], [text.length, undefined])
  await stop()
})

large('an event that Kafka refuses as too large is published without the texts that repeat its messages', async () => {
  const { taken, publish } = kafkaOf(mebibyte)
  const { port, stop, appended } = await start({ publish })
  assert.is((await send(port, hooks, { body: long })).status, 200)
  const [event] = taken
  assert.ok(event?.type === 'ChatFinished')
  const { plainMessages, htmlMessages, omitted, chat } = event.data
  assert.equal([plainMessages, htmlMessages, omitted], [undefined, undefined, ['plainMessages', 'htmlMessages']])
  assert.is(chat?.messages?.length, finished.chat.messages.length)
  assert.equal(appended, [])
  await stop()
})

large('an event that is still too large is answered 413: its beginning and its size are in quarantine', async () => {
  for (const [path, body] of [
    [hooks, JSON.stringify({ ...finished, unknown: text })],
    [bot, JSON.stringify({ ...JSON.parse(message), unknown: text })],
  ] as const) {
    const { port, stop, appended, quarantined, logged } = await start({ publish: kafkaOf(mebibyte).publish })
    assert.is((await send(port, path, { body })).status, 413)
    const [record] = appended
    assert.equal(
      [record?.value?.toString(), record?.headers.reason, record?.headers.size],
      [body.slice(0, 64 * 1024), 'too-large', String(body.length)],
    )
    assert.equal(
      quarantined.map(([, reason]) => reason),
      ['too-large'],
    )
    const [warning] = logged.filter(({ level }) => level === 'warn')
    assert.equal(['accountId' in (warning?.fields ?? {}), 'subject' in (warning?.fields ?? {})], [true, true])
    assert.not.match(JSON.stringify(logged), 'xxx')
    await stop()
  }
})

large(
  'a body that is not understood, and too large for quarantine, is answered 413: its beginning is there',
  async () => {
    const kept: OutgoingRecord[] = []
    const append = async (record: OutgoingRecord) => {
      if (`${record.value}`.length > mebibyte) return refused
      kept.push(record)
      return E.right(undefined)
    }
    const { port, stop, quarantined } = await start({ append })
    const body = `not JSON: ${text}`
    assert.is((await send(port, hooks, { body })).status, 413)
    assert.equal(
      kept.map(({ value, headers }) => [`${value}`, headers.reason, headers.size]),
      [[body.slice(0, 64 * 1024), 'too-large', String(body.length)]],
    )
    assert.equal(
      quarantined.map(([, reason]) => reason),
      ['too-large'],
    )
    await stop()
  },
)

large('of a body with a too large content length only the beginning is read', async () => {
  const { port, stop, appended } = await start()
  const body = 'y'.repeat(9 * mebibyte)
  assert.is((await send(port, hooks, { body })).status, 413)
  const [record] = appended
  assert.equal([record?.value?.length, record?.headers.size], [64 * 1024, String(body.length)])
  await stop()
})

large(
  'bodies that exceed the memory limit of all bodies are answered 503 with Retry-After, and the memory is released',
  async () => {
    const [held, begun] = [Promise.withResolvers<E.Either<never, 'kafka'>>(), Promise.withResolvers<void>()]
    const publish = () => {
      begun.resolve()
      return held.promise
    }
    const { port, stop } = await start({ publish }, { allBodiesBytes: 6 * mebibyte, webhooksMs: 60_000 })
    const first = send(port, hooks, { body: long })
    await begun.promise
    const second = await send(port, hooks, { body: long })
    assert.equal([second.status, second.headers['retry-after']], [503, '1'])
    held.resolve(E.right('kafka'))
    assert.is((await first).status, 200)
    for (let i = 0; i < 3; i++) assert.is((await send(port, hooks, { body: long })).status, 200)
    await stop()
  },
)

large('a body that ends early is a fault of its sender, and is kept nowhere', async () => {
  const { port, stop, requests, appended } = await start()
  const { sayNoMore, end } = slowly(port, hooks, 2 * mebibyte, mebibyte)
  sayNoMore()
  await eventually('the end of the request', () => requests.length > 0)
  assert.equal([requests, appended], [[['webhooks', 400]], []])
  end()
  await stop()
})

large('an account whose senders are slow does not use up the memory for the bodies of others', async () => {
  const { port, stop } = await start({}, { allBodiesBytes: 16 * mebibyte })
  const slow = Array.from({ length: 5 }, () => slowly(port, hooks, 7 * mebibyte, 4 * mebibyte))
  // The memory of the account is used up.
  assert.match(await Promise.race(slow.map(({ answered }) => answered)), '503')
  const other = await send(port, '/webhooks/webhooks-token-slow', {
    body: JSON.stringify({ ...finished, plain_messages: text }),
  })
  assert.is(other.status, 200)
  for (const { end } of slow) end()
  await stop()
})

large.run()
