import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { startOffset, startOffsetsOf, TopicsRefused } from '../../../src/bridge/kafka/consumer/committed-offsets.ts'
import { healthOf } from '../../../src/bridge/kafka/consumer/consume.ts'
import {
  type ConsumerActivity,
  failureOf,
  isMember,
  stallDetector,
  unhealthyReason,
} from '../../../src/bridge/kafka/consumer/health.ts'
import { kafkaReasonOf, kindOf, refusalOf, unreachable } from '../../../src/bridge/kafka/errors.ts'
import { renewed } from '../../../src/bridge/kafka/oauth-bearer.ts'
import { silent } from '../../support/silent-log.ts'

const decisions = suite('decisions of the Kafka adapter')

decisions(
  "reading starts at the requested offset, the group's offset, or the beginning, but never outside of the log",
  () => {
    const range = { low: 10, high: 20 }

    assert.equal(
      [
        startOffset(15, 12, range),
        startOffset(undefined, 12, range),
        startOffset(undefined, undefined, range),
        startOffset(20, undefined, range),
        startOffset(undefined, 5, range),
        startOffset(undefined, 25, range),
      ],
      [15, 12, 10, 20, 10, 10],
    )
  },
)

decisions('an offset whose record is not in the log any more, or not yet again, is logged', async () => {
  const warned: Array<readonly [string, object]> = []
  const log = { ...silent, warn: (fields: object, message: string) => void warned.push([message, fields]) }
  const find = startOffsetsOf(
    {
      log,
      topicIds: async () => new Map(),
      ranges: async () => new Map([0, 1, 2, 3, 4, 5].map((partition) => [partition, { low: 10, high: 20 }])),
      validCommits: async () => new Map([5, 10, 21, 9, 20].map((offset, partition) => [partition, { offset }])),
    },
    { group: 'archiver' },
  )

  const starts = await find([0, 1, 2, 3, 4, 5].map((partition) => ({ topic: 'chats', partition })))

  const at = (partition: number) => ({ group: 'archiver', topic: 'chats', partition })
  assert.equal(
    starts.map(({ start }) => start),
    [10, 10, 10, 10, 20, 10],
  )
  assert.equal(warned, [
    ['kafka: records were deleted before a consumer read them', { ...at(0), missed: 5 }],
    ['kafka: a partition ends before the offset that a consumer has reached', at(2)],
    ['kafka: records were deleted before a consumer read them', { ...at(3), missed: 1 }],
  ])
})

decisions('topics that are refused are not read, and a topic begins with its id', async () => {
  const deps = {
    log: silent,
    topicIds: async () => new Map([['chats', 'a']] as const),
    ranges: async () => new Map([[0, { low: 10, high: 20 }]]),
    validCommits: async () => new Map(),
  }
  const chats = [{ topic: 'chats', partition: 0 }] as const
  assert.equal(await startOffsetsOf(deps, { group: 'archiver' })(chats), [
    { topic: 'chats', partition: 0, topicId: 'a', start: 10, epoch: undefined },
  ])
  const refusing = startOffsetsOf(deps, { group: 'archiver', refuseTopics: async () => 'another log' })
  const refusal = await refusing(chats).catch((error: unknown) => error)
  assert.ok(refusal instanceof TopicsRefused)
  assert.is(refusal.message, 'another log')
})

decisions('a start has the epoch of the commit only if it is the committed offset', async () => {
  const startsAt = async (offset: number, wanted?: number) => {
    const find = startOffsetsOf(
      {
        log: silent,
        topicIds: async () => new Map(),
        ranges: async () => new Map([[0, { low: 10, high: 20 }]]),
        validCommits: async () => new Map([[0, { offset, epoch: 3 }]]),
      },
      { group: 'archiver', startAt: async () => wanted },
    )
    return (await find([{ topic: 'chats', partition: 0 }])).map(({ start, epoch }) => [start, epoch])
  }
  assert.equal(
    [await startsAt(12), await startsAt(5), await startsAt(12, 15)],
    [[[12, 3]], [[10, undefined]], [[15, undefined]]],
  )
})

decisions('a log that was cut is logged, unless the caller says where to read', async () => {
  const warned: object[] = []
  const find = (startAt?: number) =>
    startOffsetsOf(
      {
        log: { ...silent, warn: (fields: object) => void warned.push(fields) },
        topicIds: async () => new Map(),
        ranges: async () => new Map([[0, { low: 10, high: 20 }]]),
        validCommits: async () => new Map([[0, { offset: 15, changed: 'cut at 15' }]]),
      },
      { group: 'archiver', startAt: async () => startAt },
    )([{ topic: 'chats', partition: 0 }])
  await find(12)
  assert.equal(warned, [])
  await find()
  assert.equal(warned, [{ group: 'archiver', topic: 'chats', partition: 0, reason: 'cut at 15' }])
})

const activity = (given: Partial<ConsumerActivity> = {}): ConsumerActivity => ({
  startedAt: 0,
  readyAt: 1_000,
  contactAt: 100_000,
  fetchAt: 100_000,
  commitFailsSince: undefined,
  ...given,
})

decisions('a consumer is restarted when it no longer joins, has contact to its group, or fetches', () => {
  assert.equal(
    [
      failureOf(activity(), 105_000),
      failureOf(activity({ readyAt: undefined }), 44_000),
      failureOf(activity({ readyAt: undefined }), 46_000),
      failureOf(activity({ fetchAt: 200_000 }), 110_000),
      failureOf(activity({ contactAt: 200_000 }), 116_000),
    ],
    [
      undefined,
      undefined,
      'has not joined within 46 s',
      "no answer from the group's coordinator for 10 s",
      'no fetch was answered for 16 s',
    ],
  )
  assert.equal([isMember(activity(), 109_999), isMember(activity(), 110_000)], [true, false])
})

decisions('a consumer is unhealthy after some seconds, not at once', () => {
  const reader = (failing?: number, busySince?: number) => ({
    topic: 'chats' as const,
    partition: 3,
    busySince: () => busySince,
    failing: () => (failing === undefined ? undefined : { since: failing, failures: 2, error: 'TypeError' }),
  })

  assert.equal(
    [
      unhealthyReason(activity(), 104_000, [reader(100_000, 100_000)]),
      unhealthyReason(activity({ readyAt: undefined }), 0, []),
      unhealthyReason(activity(), 106_000, [reader(100_000)]),
      unhealthyReason(activity(), 106_000, [reader(undefined, 70_000)]),
      unhealthyReason(activity(), 108_000, []),
      unhealthyReason(activity({ contactAt: 108_000 }), 108_000, []),
      unhealthyReason(activity({ commitFailsSince: 96_000 }), 104_000, []),
    ],
    [
      undefined,
      'has not joined its group yet',
      'chats/3: its handler fails for 6 s (TypeError)',
      'chats/3: its handler has not ended for 36 s',
      "no answer from the group's coordinator for 8 s",
      'no fetch was answered for 8 s',
      'offsets cannot be committed for 8 s',
    ],
  )
})

decisions('a partition that does not get its records for half a minute is reported once for its offset', () => {
  const look = stallDetector()
  const places = (position: number, end: number) => [{ name: 'chats/3', position, end }]

  assert.equal(
    [
      look(places(5, 9), 0),
      look(places(6, 9), 20_000),
      look(places(6, 9), 49_000),
      look(places(6, 9), 50_000),
      look(places(6, 9), 90_000),
      look(places(9, 9), 100_000),
      look(places(9, 10), 110_000),
      look(places(9, 11), 140_000),
    ],
    [undefined, undefined, undefined, 'chats/3 at 6', undefined, undefined, undefined, 'chats/3 at 9'],
  )
})

decisions('an error has the kind of the broker, and texts that may quote data are not repeated', () => {
  const protocol = Object.assign(new Error('too large'), { name: 'KafkaJSProtocolError', type: 'MESSAGE_TOO_LARGE' })
  const wrapped = Object.assign(new Error('too large', { cause: protocol }), { name: 'KafkaJSNonRetriableError' })
  const invalid = Object.assign(new Error('no key'), { name: 'KafkaJSProtocolError', type: 'INVALID_RECORD' })
  const tooLarge = { kind: 'too-large', reason: 'MESSAGE_TOO_LARGE' }
  const connection = Object.assign(new Error('no route'), { name: 'KafkaJSConnectionError' })

  assert.equal(
    [protocol, wrapped, invalid, connection, new TypeError('secret'), undefined].map((error) => [
      kindOf(error),
      kafkaReasonOf(error),
      refusalOf(error),
    ]),
    [
      ['MESSAGE_TOO_LARGE', 'MESSAGE_TOO_LARGE: too large', tooLarge],
      ['MESSAGE_TOO_LARGE', 'MESSAGE_TOO_LARGE: too large', tooLarge],
      [
        'INVALID_RECORD',
        'INVALID_RECORD: no key',
        {
          kind: 'permanent',
          reason: 'INVALID_RECORD: see cleanup.policy of the topic, and what checks records at the broker',
        },
      ],
      ['KafkaJSConnectionError', 'Kafka cannot be reached: the broker does not answer', undefined],
      ['TypeError', 'TypeError', undefined],
      ['unknown error', 'unknown error', undefined],
    ],
  )
})

decisions('a token is shared, and fetched again after four fifths of its time, or after a failure', async () => {
  let now = 0
  let fetched = 0
  let isAway = false
  const tokenOf = renewed(
    async () => {
      fetched++
      if (isAway) throw new Error('away')
      return { value: `token ${fetched}`, lastsMs: 100_000 }
    },
    () => now,
  )
  assert.equal(await Promise.all([tokenOf(), tokenOf()]), ['token 1', 'token 1'])
  now = 79_999
  assert.is(await tokenOf(), 'token 1')
  now = 80_000
  isAway = true
  assert.is(await tokenOf().catch(({ message }) => message), 'away')
  isAway = false
  assert.is(await tokenOf(), 'token 3')
})

const broker = '127.0.0.1:9092'
const failures: ReadonlyArray<readonly [string, object, string]> = [
  [
    'Connection error: connect ECONNREFUSED 127.0.0.1:9092',
    { name: 'KafkaJSConnectionError', broker, code: 'ECONNREFUSED' },
    'nothing listens at 127.0.0.1:9092',
  ],
  [
    'Connection error: this connection was given up',
    { name: 'KafkaJSConnectionError', broker },
    '127.0.0.1:9092 does not answer',
  ],
  ['Closed connection', { name: 'KafkaJSConnectionClosedError', broker }, '127.0.0.1:9092 closed the connection'],
  ['Request timed out', { name: 'KafkaJSRequestTimeoutError', broker }, '127.0.0.1:9092 does not answer'],
  [
    'Connection error: getaddrinfo ENOTFOUND kafka',
    { name: 'KafkaJSConnectionError', broker: 'kafka:9092' },
    'the host name of kafka:9092 is not known',
  ],
  [
    'Connection error: read ECONNRESET',
    { name: 'KafkaJSConnectionError', broker: '--1.ipv6-literal:9092' },
    '[::1]:9092 reset the connection',
  ],
]
for (const [message, fields, expected] of failures)
  decisions(`an outage is told in words, also behind other errors: ${expected}`, () => {
    const cause = Object.assign(new Error(message), fields)
    const retried = Object.assign(new Error(message, { cause }), { name: 'KafkaJSNumberOfRetriesExceeded' })
    assert.is(kafkaReasonOf(cause), `Kafka cannot be reached: ${expected}`)
    assert.is(kafkaReasonOf(retried), `Kafka cannot be reached: ${expected}`)
    assert.is(
      unreachable(retried, Date.parse('2026-01-31T12:00:00Z'))?.message,
      `Kafka cannot be reached since 2026-01-31T12:00:00.000Z: ${expected}`,
    )
  })

const consumer = {
  unhealthy: undefined,
  partitions: 3,
  denied: [],
  topics: ['chats', 'calls', 'clients'] as const,
  restartedBecause: undefined,
}
for (const { name, state, ok, reason } of [
  { name: 'that reads', state: {}, ok: true, reason: 'reads 3 partitions' },
  { name: 'that reads again', state: { restartedBecause: 'crashed' }, ok: true, reason: 'reads 3 partitions' },
  { name: 'that fails', state: { unhealthy: 'no contact' }, ok: false, reason: 'no contact' },
  {
    name: 'that fails after a restart',
    state: { unhealthy: 'no contact', restartedBecause: 'crashed' },
    ok: false,
    reason: 'no contact; restarted because: crashed',
  },
  {
    name: 'without some of its topics',
    state: { denied: ['calls'], topics: ['chats'] },
    ok: false,
    reason: 'Kafka denies reading calls; reads 3 partitions',
  },
  {
    name: 'without any topic',
    state: { denied: ['calls'], topics: [], unhealthy: 'no contact' },
    ok: false,
    reason: 'Kafka denies reading calls; nothing is read',
  },
] as const)
  decisions(`the health of a consumer ${name}`, () => {
    assert.equal(healthOf({ ...consumer, ...state }), { ok, reason })
  })

decisions.run()
