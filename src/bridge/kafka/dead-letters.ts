import * as E from 'fp-ts/lib/Either.js'
import { Instant } from '../../../contracts/primitives.ts'
import { deadLetterHeaders as names } from '../../../contracts/records.ts'
import { deadLetters, type TopicName } from '../../../contracts/topics.ts'
import { traceIdOf, traceparentIn } from '../adapters/tracing.ts'
import type { Now } from '../domain/clock.ts'
import {
  type DeadLetter,
  type Failure,
  type IncomingRecord,
  type OutgoingRecord,
  recordTime,
} from '../domain/log/record.ts'
import type { Measure } from '../domain/metrics.ts'
import type { Log } from '../shared/log.ts'
import type { Sleep } from '../shared/time.ts'
import { unreadableBatch, whyUnreadable } from './unreadable.ts'
import { allHeaders, type WireHeaders, type WireRecord } from './wire-record.ts'

type Headers = Pick<IncomingRecord, 'headers'>

/** The target topic of a redrive, how often the record was redriven (this time included), and when it first failed. */
export type Redriven = {
  readonly topic: Exclude<TopicName, typeof deadLetters.name>
  readonly redriven: number
  readonly firstFailedAt: Instant
}

const ours: ReadonlySet<string> = new Set(Object.values(names))

/** The headers that the record's producer set, including repeated headers. */
const foreignHeaders = (record: IncomingRecord): WireHeaders =>
  Object.fromEntries(Object.entries(allHeaders(record)).filter(([name]) => !ours.has(name)))

/** How often a record was redriven. Any producer can write the header, so an invalid count is 0. */
export const timesRedriven = ({ headers }: Headers): number => {
  const text = String(headers[names.redriven] ?? '')
  return /^[0-9]{1,9}$/.test(text) ? Number(text) : 0
}

/** When a record that fails now first failed: the time in its header if that is valid, otherwise now. */
export const firstFailureOf = ({ headers }: Headers, failedAt: Instant): Instant => {
  const earlier = String(headers[names.firstFailedAt] ?? '')
  return Instant.is(earlier) && Date.parse(earlier) <= Date.parse(failedAt) ? earlier : failedAt
}

/** The record in a dead letter, as it was on its own topic: key, value and headers byte for byte. */
export const toRedriven = (deadLetter: IncomingRecord, { topic, redriven, firstFailedAt }: Redriven): WireRecord => ({
  topic,
  key: deadLetter.key,
  value: deadLetter.value,
  headers: {
    ...foreignHeaders(deadLetter),
    [names.firstFailedAt]: firstFailedAt,
    [names.redriven]: String(redriven),
  },
})

type Why = { readonly consumer: string; readonly cause: string; readonly detail: string; readonly failedAt: Instant }

/** A record as a dead letter: key, value and headers byte for byte, plus headers with its place and the cause. */
export const toDeadLetter = (record: IncomingRecord, { consumer, cause, detail, failedAt }: Why): WireRecord => ({
  topic: deadLetters.name,
  key: record.key,
  value: record.value,
  headers: {
    ...foreignHeaders(record),
    [names.topic]: record.topic,
    [names.partition]: String(record.partition),
    [names.offset]: String(record.offset),
    [names.timestamp]: recordTime(record),
    [names.consumer]: consumer,
    [names.cause]: cause,
    [names.detail]: detail.slice(0, 1000),
    [names.failedAt]: failedAt,
    [names.firstFailedAt]: firstFailureOf(record, failedAt),
    ...(timesRedriven(record) > 0 && { [names.redriven]: String(timesRedriven(record)) }),
  },
})

/** The consumer of letters with what Kafka refused from the journal. */
export const ofJournal = 'journal'

const bytes = (part: string | Buffer | null) => (typeof part === 'string' ? Buffer.from(part) : part)

/** Keeps a record that Kafka refuses. It is on no topic: its partition and offset are 0. */
export const keepingRefused =
  (keep: DeadLetter) =>
  ({ topic, key, value, headers }: OutgoingRecord, reason: string): Promise<void> =>
    keep(
      {
        topic,
        partition: 0,
        offset: 0,
        timestamp: Date.now(),
        key: bytes(key),
        value: bytes(value),
        headers: Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, Buffer.from(header)])),
      },
      'refused-by-kafka',
      reason,
    )

const againAfterMs = 500

/**
 * Keeps a record that a consumer cannot process. It retries during outages, since the consumer must not continue before
 * the record is kept. Throws if Kafka refuses the dead letter itself, or if an append fails during the stop.
 */
export const deadLetterFor =
  (
    {
      send,
      now,
      sleep,
      log,
      measure,
    }: {
      /** A transient Left is retried. */
      readonly send: (record: WireRecord) => Promise<E.Either<Failure, void>>
      readonly now: Now
      readonly sleep: Sleep
      readonly log: Log
      readonly measure: Measure
    },
    isStopping: () => boolean,
  ) =>
  (consumer: string): DeadLetter =>
  async (record, ofConsumer, detailOfConsumer) => {
    const { topic, partition, offset } = record
    const why = whyUnreadable(record.value)
    // A consumer cannot know that this value is a whole batch. To the consumer it is an unreadable record.
    const [cause, detail] =
      why === undefined ? [ofConsumer, detailOfConsumer] : [unreadableBatch, `value: a whole batch of records: ${why}`]
    const deadLetter = toDeadLetter(record, { consumer, cause, detail, failedAt: now() })
    for (let sent = await send(deadLetter); E.isLeft(sent); sent = await send(deadLetter)) {
      if (sent.left.kind !== 'transient' || isStopping())
        throw new Error(`a dead letter could not be stored: ${sent.left.reason}`)
      await sleep(againAfterMs)
    }
    log.warn(
      { consumer, topic, partition, offset, cause, detail, traceId: traceIdOf(traceparentIn(record)) },
      'kafka: a record is kept as a dead letter',
    )
    measure.deadLetter(consumer, cause)
  }
