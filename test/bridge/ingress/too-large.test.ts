import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import type { Failure } from '../../../src/bridge/domain/log/record.ts'
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
    const { port, stop } = await start({ publish }, { allBodiesBytes: 5 * mebibyte, webhooksMs: 60_000 })
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

large.run()
