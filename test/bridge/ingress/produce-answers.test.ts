import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TopicName } from '../../../contracts/topics.ts'
import type { Health } from '../../../src/bridge/domain/checks.ts'
import { now } from '../../../src/bridge/domain/clock.ts'
import { unmeasured } from '../../../src/bridge/domain/metrics.ts'
import { openIntake } from '../../../src/bridge/journal/intake.ts'
import { producer } from '../../../src/bridge/kafka/produce/producer.ts'
import { toRecord } from '../../../src/bridge/kafka/records.ts'
import { sleep } from '../../../src/bridge/shared/time.ts'
import { right } from '../../support/either.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { sample } from '../../support/samples.ts'
import { silent } from '../../support/silent-log.ts'
import { fakeBrokers } from '../kafka/produce/fake-brokers.ts'
import { type Reply, send, start } from './harness.ts'

const accepted = { path: '/webhooks/webhooks-token-acme', body: sample('webhooks', 'chat_accepted') }
const message = { path: '/bot/bot-token-of-acme', body: sample('bot-api', 'CLIENT_MESSAGE') }

type Given = {
  readonly send: (request: typeof accepted) => Promise<Reply>
  /** The topics that have a record in Kafka, and `journal` for each record in it. */
  readonly places: () => ReadonlyArray<string | undefined>
  readonly health: () => Health
  /** From now on the brokers take all. */
  readonly correct: () => void
}

const bound = { records: 1_000, bytes: 1_000_000 }

/**
 * Runs a test with an ingress with its real producer and journal, and brokers that answer as `answers` says; otherwise
 * they take all. `budgetMs`: so long a topic may need for a record before it fails over to the journal.
 */
const withAnswers = async (
  answers: Partial<Record<TopicName, string>>,
  test: (given: Given) => Promise<void>,
  budgetMs = 10_000,
) => {
  const fates = new Map(Object.entries(answers))
  const brokers = fakeBrokers(({ topic }) => fates.get(topic) ?? 'taken')
  const kafka = producer({
    connect: brokers.connect,
    limits: { batch: bound, request: bound, waiting: bound },
    partitioner: { ready: async () => undefined, partitionOf: () => 0, forget: () => undefined },
    sleep,
    random: Math.random,
    clock: () => performance.now(),
    log: silent,
    measure: unmeasured,
  })
  const intake = right(
    await openIntake({
      dataDir: temporaryFolder(),
      maxBytes: 1_000_000,
      send: kafka.send,
      reject: async () => undefined,
      budgetMs,
      now,
      sleep,
      log: silent,
    }),
  )
  const { port, stop } = await start({
    publish: (event, withinMs) => intake.append(toRecord(event), withinMs),
    append: async (record, withinMs) => E.map(() => undefined)(await intake.append(record, withinMs)),
  })
  try {
    await test({
      send: ({ path, body }) => send(port, path, { body }),
      places: () => [
        ...[...brokers.log].flatMap(([place, values]) => values.map(() => place.split('/')[0])),
        ...Array.from({ length: intake.state().records }, () => 'journal'),
      ],
      health: intake.health,
      correct: () => fates.clear(),
    })
  } finally {
    await stop()
    await kafka.stop(0)
    await intake.stop()
  }
}

const answers = suite('answers of Produce')

type Row = readonly [
  answer: string,
  webhook: number,
  bot: number,
  place: 'log' | 'journal' | 'quarantine',
  readiness: 'ready' | 'limited',
]

/** Each answer that a broker may give to a Produce request: what the service hears, and where the event is then. */
const rows: ReadonlyArray<Row> = [
  ['taken', 200, 200, 'log', 'ready'],
  // Whether the broker has the records is not known: they are sent again until it says so.
  ['lost', 200, 503, 'journal', 'limited'],
  ['REQUEST_TIMED_OUT', 200, 503, 'journal', 'limited'],
  ['NOT_ENOUGH_REPLICAS', 200, 503, 'journal', 'limited'],
  ['NOT_ENOUGH_REPLICAS_AFTER_APPEND', 200, 503, 'journal', 'limited'],
  // The leader is another broker, or none.
  ['NOT_LEADER_FOR_PARTITION', 200, 503, 'journal', 'limited'],
  ['LEADER_NOT_AVAILABLE', 200, 503, 'journal', 'limited'],
  ['FENCED_LEADER_EPOCH', 200, 503, 'journal', 'limited'],
  // An operator must act, and then the same record is accepted.
  ['UNKNOWN_TOPIC_OR_PARTITION', 200, 503, 'journal', 'limited'],
  ['TOPIC_AUTHORIZATION_FAILED', 200, 503, 'journal', 'limited'],
  ['CLUSTER_AUTHORIZATION_FAILED', 200, 503, 'journal', 'limited'],
  ['UNSUPPORTED_VERSION', 200, 503, 'journal', 'limited'],
  ['UNSUPPORTED_COMPRESSION_TYPE', 200, 503, 'journal', 'limited'],
  // The broker's own trouble.
  ['CORRUPT_MESSAGE', 200, 503, 'journal', 'limited'],
  ['KAFKA_STORAGE_ERROR', 200, 503, 'journal', 'limited'],
  ['UNKNOWN', 200, 503, 'journal', 'limited'],
  ['KAFKAJS_UNKNOWN_ERROR_CODE', 200, 503, 'journal', 'limited'],
  // The producer gets a new identity, and the broker goes on refusing it.
  ['OUT_OF_ORDER_SEQUENCE_NUMBER', 200, 503, 'journal', 'limited'],
  ['INVALID_PRODUCER_EPOCH', 200, 503, 'journal', 'limited'],
  // The record itself is refused, whenever it is sent.
  ['INVALID_TIMESTAMP', 200, 503, 'quarantine', 'limited'],
  ['INVALID_RECORD', 200, 503, 'quarantine', 'limited'],
  ['POLICY_VIOLATION', 200, 503, 'quarantine', 'limited'],
  ['INVALID_TOPIC_EXCEPTION', 200, 503, 'quarantine', 'limited'],
  // A smaller record would be accepted, so the topic is well.
  ['MESSAGE_TOO_LARGE', 413, 413, 'quarantine', 'ready'],
  ['RECORD_LIST_TOO_LARGE', 413, 413, 'quarantine', 'ready'],
]

for (const [answer, webhook, bot, place, readiness] of rows)
  answers(`${answer}: the event is in the ${place}`, () =>
    withAnswers(
      { chats: answer, 'bot-conversations': answer },
      async ({ send: post, places, health }) => {
        const statuses = [(await post(accepted)).status, (await post(message)).status]

        const expected = place === 'log' ? ['chats', 'bot-conversations'] : [place, place]
        const { ok, isLimited } = health()
        assert.equal(
          [statuses, places(), ok, isLimited === true],
          [[webhook, bot], expected, true, readiness === 'limited'],
        )
      },
      place === 'journal' ? 100 : undefined,
    ),
  )

for (const answer of ['INVALID_TIMESTAMP', 'INVALID_RECORD', 'POLICY_VIOLATION'])
  answers(`${answer} of quarantine too: 503, never the journal, and not ready until the topic is corrected`, () =>
    withAnswers({ chats: answer, quarantine: answer }, async ({ send: post, places, health, correct }) => {
      assert.equal([(await post(accepted)).status, places(), health().ok], [503, [], false])
      for (const topic of ['chats', 'quarantine'])
        assert.match(health().reason, `records of ${topic} for good (${answer}`)

      correct()
      assert.is((await post({ ...accepted, body: '{"event_name":"unheard_of"}' })).status, 200)
      assert.is(health().ok, true)
      assert.is((await post(accepted)).status, 200)
      assert.equal([places(), health()], [['quarantine', 'chats'], { ok: true, reason: 'records go to Kafka' }])
    }),
  )

answers('readiness names the setting that makes Kafka refuse records', () =>
  withAnswers({ chats: 'INVALID_TIMESTAMP' }, async ({ send: post, health }) => {
    await post(accepted)
    assert.equal(health(), {
      ok: true,
      isLimited: true,
      reason:
        'records go to Kafka; Kafka refuses records of chats for good (INVALID_TIMESTAMP: see message.timestamp.type, message.timestamp.before.max.ms and message.timestamp.after.max.ms of the topic, and the clocks of this host and the broker); their requests are kept in quarantine: correct the topic, see livechat-bridge topics',
    })
  }),
)

answers.run()
