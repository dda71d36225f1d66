import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../../contracts/events/index.ts'
import { AccountId, type Instant } from '../../../../contracts/primitives.ts'
import { withDefaults } from '../../../../src/bridge/domain/accounts.ts'
import type { IncomingRecord } from '../../../../src/bridge/domain/log/record.ts'
import {
  matchesRequest,
  type RequestEvent,
  requestReader,
  requeueQuarantined,
} from '../../../../src/bridge/operations/redrive/requeue-quarantined.ts'
import { left, right } from '../../../support/either.ts'
import { sample } from '../../../support/samples.ts'
import { memoryRedrives, topicOf } from './given-letters.ts'

const accounts = [withDefaults({ id: right(AccountId.decode('acme')), webhooks: { token: 'webhooks-token-of-acme' } })]
const received = '2026-01-31T12:00:00.000Z' as Instant
const later = '2026-02-01T12:00:00.000Z' as Instant

type Given = { readonly offset?: number; readonly key?: string; readonly value?: string; readonly headers?: object }

const request = ({
  offset = 0,
  key = 'acme',
  value = sample('webhooks', 'client_updated'),
  headers = {},
}: Given = {}) => {
  const texts = {
    id: `q${offset}`,
    interface: 'webhooks',
    received_at: received,
    reason: 'invalid',
    problems: 'visitor: expected',
    ...headers,
  }
  const record: IncomingRecord = {
    topic: 'quarantine',
    partition: 0,
    offset,
    timestamp: Date.parse(received),
    key: Buffer.from(key),
    value: Buffer.from(value),
    headers: Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Buffer.from(String(text))])),
  }
  return record
}

/** Kafka and MongoDB in memory; the next calls of either may fail. */
const servers = (records: ReadonlyArray<IncomingRecord>, onPublished: () => void = () => {}, ofEachSlice = 1) => {
  const [published, events] = [[] as DomainEvent[], [] as RequestEvent[]]
  const { erased, redrives } = memoryRedrives()
  const faults = { publish: 0, remember: 0 }
  return {
    erased,
    published,
    events,
    faults,
    run: async (asked: Partial<Parameters<typeof requeueQuarantined>[1]> = {}) =>
      requeueQuarantined(
        {
          readTopic: topicOf(records, ofEachSlice),
          publish: async (event) => {
            if (faults.publish-- > 0) return E.left({ kind: 'transient', reason: 'away' })
            published.push(event)
            onPublished()
            return E.right(undefined)
          },
          redrives: {
            ...redrives,
            remember: async (ids, at) => {
              if (faults.remember-- > 0) throw new Error('away')
              await redrives.remember(ids, at)
            },
          },
          accounts,
          pace: { atOnce: 1, next: async () => undefined },
          now: () => later,
          say: (event) => void events.push(event),
        },
        { filters: {}, limit: 1000, dryRun: false, ...asked },
        new AbortController().signal,
      ),
  }
}

const reading = suite('a request that is read from quarantine')

reading('becomes the event that ingress would make of it today, with the time when it was received', () => {
  const { id, event } = right(requestReader(accounts)(request()))
  assert.is(id, 'q0')
  assert.is(event.type, 'ClientUpdated')
  assert.is(event.id, 'q0')
  assert.is(event.time, received)
  assert.is(event.receivedTime, received)
  assert.is(event.contentHash?.length, 43)
})

reading('keeps the id of the request if it arrived by Interface B', () => {
  const value = sample('bot-api', 'CLIENT_MESSAGE')
  const { event } = right(requestReader(accounts)(request({ value, headers: { interface: 'bot' } })))
  assert.is(event.id, JSON.parse(value).id)
  assert.is(event.receivedTime, received)
})

reading('stays in quarantine for a reason that contains no value', () => {
  const why = (given: Given) => left(requestReader(accounts)(request(given)))
  assert.equal(why({ headers: { reason: 'too-large' } }), { kind: 'cut' })
  assert.equal(why({ key: 'other' }), { kind: 'unknown-account' })
  assert.equal(why({ headers: { received_at: 'yesterday' } }), { kind: 'foreign' })
  for (const [value, reason] of [
    ['{"event_name":"new_event"}', /^an event that is not known$/],
    ['secret', /expected JSON/],
    ['{"event_name":"client_updated"}', /client_id: expected/],
  ] as const) {
    const unread = why({ value })
    assert.match('reason' in unread ? unread.reason : '', reason)
  }
})

reading('is selected if it matches every filter', () => {
  const noon = Date.parse(received)
  assert.ok(matchesRequest({})(request()))
  assert.ok(
    matchesRequest({ account: 'acme', reason: 'invalid', since: noon, until: noon + 1, id: ['0/0'] })(request()),
  )
  for (const filters of [{ account: 'x' }, { reason: 'x' }, { since: noon + 1 }, { until: noon }, { id: ['0/1'] }])
    assert.not(matchesRequest(filters)(request()), JSON.stringify(filters))
})

reading.run()

const taking = suite('redriven requests')

taking('are published once, in their order, and the others stay', async () => {
  const same = request({ offset: 2, headers: { id: 'q0' } })
  const { run, published, events } = servers([
    request(),
    request({ offset: 1, value: '{' }),
    same,
    request({ offset: 3 }),
  ])
  assert.equal((await run()).tally, { done: 2, planned: 0, before: 1, kept: 1, failed: 0 })
  assert.equal(
    published.map(({ id }) => id),
    ['q0', 'q3'],
  )
  assert.is((await run()).tally.before, 3)
  assert.is(published.length, 2)
  assert.not.match(JSON.stringify(events), '1233')
})

taking('are only listed by a dry run', async () => {
  const { run, published } = servers([request()])
  assert.is((await run({ dryRun: true })).tally.planned, 1)
  assert.is(published.length, 0)
})

taking('end at the limit', async () => {
  const { run, published } = servers([0, 1, 2].map((offset) => request({ offset })))
  assert.is((await run({ limit: 2 })).limit, 2)
  assert.is(published.length, 2)
})

taking('continue after a failure of Kafka or MongoDB, with the same ids', async () => {
  const { run, published, faults } = servers([0, 1, 2].map((offset) => request({ offset })))
  faults.publish = 1
  assert.equal((await run()).trouble, { kind: 'kafka', reason: 'away' })
  faults.remember = 1
  assert.equal((await run()).trouble, { kind: 'not-stored', count: 1 })
  assert.is((await run()).trouble, undefined)
  assert.equal(
    published.map(({ id }) => id),
    ['q0', 'q0', 'q1', 'q2'],
  )
})

taking('of a person who is erased after the slice was read stay in quarantine', async () => {
  const requests = [0, 1, 2].map((offset) => request({ offset }))
  const { run, published, events, erased } = servers(
    requests,
    () => void erased.set('client acme/1233', new Date('2026-03-01T00:00:00.000Z')),
    requests.length,
  )
  const { tally } = await run()
  assert.equal([published.map(({ id }) => id), tally.kept], [['q0'], 2])
  assert.equal(events.at(-1)?.why, { kind: 'erased' })
})

taking.run()
