import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DomainEvent } from '../../../contracts/events/index.ts'
import { AccountId, Instant } from '../../../contracts/primitives.ts'
import type { DurableIn, Failure } from '../../../src/bridge/domain/log/record.ts'
import { decodeBotEvent } from '../../../src/bridge/domain/requests.ts'
import { deduplicate } from '../../../src/bridge/ingress/deduplicate.ts'
import { right } from '../../support/either.ts'

type Result = E.Either<Failure, DurableIn>
const done: Result = E.right('kafka')
const failed: Result = E.left({ kind: 'transient', reason: 'no broker' })

const event = (account: string, name: string, id: string, chat = '2037'): DomainEvent => {
  const receipt = {
    accountId: right(AccountId.decode(account)),
    receivedAt: right(Instant.decode('2026-01-31T12:00:00Z')),
    traceparent: '',
  }
  return right(decodeBotEvent({ event: name, id, chat_id: chat, client_id: '1', message: {} }, receipt)).event
}

/** A publish function that records its events. The test decides its results. */
const publishing = () => {
  const asked: Array<{ readonly event: DomainEvent; readonly settle: (result: Result) => void }> = []
  const publish = (published: DomainEvent) => {
    const { promise, resolve } = Promise.withResolvers<Result>()
    asked.push({ event: published, settle: resolve })
    return promise
  }
  return { asked, publish }
}

const repeats = suite('deduplicate')

repeats('an event that is repeated while it is published waits for the first result', async () => {
  const { asked, publish } = publishing()
  const port = deduplicate(publish)
  const both = [port(event('acme', 'AGENT_JOINED', 'a'), 1000), port(event('acme', 'AGENT_JOINED', 'a'), 1000)]
  assert.is(asked.length, 1)
  asked[0]?.settle(done)
  assert.equal(await Promise.all(both), [done, done])
  assert.equal(await port(event('acme', 'AGENT_JOINED', 'a'), 1000), done)
  assert.is(asked.length, 1)
})

repeats('an id that is repeated with other content is published too', () => {
  const { asked, publish } = publishing()
  const port = deduplicate(publish)
  const first = event('acme', 'AGENT_JOINED', 'a')
  port(first, 1000)
  port(right(DomainEvent.decode({ ...first, data: { ...first.data, extra: { again: true } } })), 1000)
  assert.is(asked.length, 2)
})

repeats('an event that failed is published again', async () => {
  const { asked, publish } = publishing()
  const port = deduplicate(publish)
  const both = [port(event('acme', 'AGENT_JOINED', 'a'), 1000), port(event('acme', 'AGENT_JOINED', 'a'), 1000)]
  asked[0]?.settle(failed)
  assert.equal(await Promise.all(both), [failed, failed])
  const retry = port(event('acme', 'AGENT_JOINED', 'a'), 1000)
  asked[1]?.settle(done)
  assert.equal(await retry, done)
})

repeats('an event that threw is published again', async () => {
  let calls = 0
  const port = deduplicate(async () => {
    calls++
    throw new Error('broken')
  })
  for (const _ of [1, 2])
    assert.is(await port(event('acme', 'AGENT_JOINED', 'a'), 1000).catch((e: Error) => e.message), 'broken')
  assert.is(calls, 2)
})

repeats('another account, kind, chat or id is another event', () => {
  const { asked, publish } = publishing()
  const port = deduplicate(publish)
  const different = [
    event('acme', 'AGENT_JOINED', 'a'),
    event('other', 'AGENT_JOINED', 'a'),
    event('acme', 'AGENT_UNAVAILABLE', 'a'),
    event('acme', 'AGENT_JOINED', 'a', '2038'),
    event('acme', 'AGENT_JOINED', 'b'),
  ]
  for (const each of different) void port(each, 1000)
  assert.equal(
    asked.map((a) => a.event),
    different,
  )
})

repeats('an event that was evicted from the memory is published again', async () => {
  const ids: string[] = []
  const port = deduplicate(async ({ id }) => {
    ids.push(id)
    return done
  }, 2)
  for (const id of ['a', 'b', 'c', 'c', 'a']) await port(event('acme', 'AGENT_JOINED', id), 1000)
  assert.equal(ids, ['a', 'b', 'c', 'a'])
})

repeats(
  'an id that comes again with other content is published and reported, each time; an equal repetition is not',
  () => {
    const { asked, publish } = publishing()
    const reused: string[] = []
    const port = deduplicate(publish, undefined, ({ id }) => reused.push(id))
    const first = event('acme', 'CLIENT_MESSAGE', 'e1')
    const other: DomainEvent = { ...first, data: { ...first.data, extra: { text: 'other' } } } as DomainEvent
    for (const each of [first, first, other, other, event('acme', 'CLIENT_MESSAGE', 'e1', '2038')]) port(each, 1_000)
    assert.equal(reused, ['e1'])
    assert.is(asked.length, 3)
  },
)

repeats.run()
