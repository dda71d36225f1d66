import * as E from 'fp-ts/lib/Either.js'
import type { Instant } from '../../contracts/primitives.ts'
import { deadLetters, deadLetterHeaders as names } from '../../contracts/topics.ts'
import type { DeadLetter, Failure, IncomingRecord, Log, Measure, Now, Sleep } from '../domain/ports.ts'
import { firstFailureOf, foreignHeaders, timesRedriven } from './redriven.ts'
import { unreadableBatch, whyUnreadable } from './unreadable.ts'
import type { WireRecord } from './wire-record.ts'

type Why = { readonly consumer: string; readonly cause: string; readonly detail: string; readonly failedAt: Instant }

type Deps = {
  /** Left transient is tried again. */
  readonly append: (record: WireRecord) => Promise<E.Either<Failure, void>>
  readonly now: Now
  readonly sleep: Sleep
  readonly log: Log
  readonly measure: Pick<Measure, 'deadLetter'>
}

const latest = Date.parse('9999-12-31T23:59:59.999Z')

/** A producer may set any timestamp; one outside of the calendar is moved to its edge. */
const instantOf = (ms: number) => new Date(Number.isFinite(ms) ? Math.min(Math.max(ms, 0), latest) : 0).toISOString()

/** A record as a dead letter: key, value and headers byte for byte, beside headers that say where it was and why it is here. */
export const toDeadLetter = (record: IncomingRecord, { consumer, cause, detail, failedAt }: Why): WireRecord => ({
  topic: deadLetters.name,
  key: record.key,
  value: record.value,
  headers: {
    ...foreignHeaders(record),
    [names.topic]: record.topic,
    [names.partition]: String(record.partition),
    [names.offset]: String(record.offset),
    [names.timestamp]: instantOf(record.timestamp),
    [names.consumer]: consumer,
    [names.cause]: cause,
    [names.detail]: detail.slice(0, 1000),
    [names.failedAt]: failedAt,
    [names.firstFailedAt]: firstFailureOf(record, failedAt),
    ...(timesRedriven(record) > 0 && { [names.redriven]: String(timesRedriven(record)) }),
  },
})

const againAfterMs = 500

/**
 * Keeps what a consumer cannot process; waits through outages, since whoever could not process it must not go on before it is
 * kept. Throws where Kafka refuses the dead letter itself, or the room was stopped.
 */
export const deadLetterFor =
  ({ append, now, sleep, log, measure }: Deps, isStopping: () => boolean) =>
  (consumer: string): DeadLetter =>
  async (record, ofConsumer, detailOfConsumer) => {
    const { topic, partition, offset } = record
    const why = whyUnreadable(record.value)
    // No consumer can know it: to each it is a record that it cannot read.
    const [cause, detail] =
      why === undefined ? [ofConsumer, detailOfConsumer] : [unreadableBatch, `value: a whole batch of records: ${why}`]
    const letter = toDeadLetter(record, { consumer, cause, detail, failedAt: now() })
    for (let appended = await append(letter); E.isLeft(appended); appended = await append(letter)) {
      if (appended.left.kind !== 'transient' || isStopping())
        throw new Error(`a dead letter was not kept: ${appended.left.reason}`)
      await sleep(againAfterMs)
    }
    log.warn({ consumer, topic, partition, offset, cause, detail }, 'kafka: a record is kept as a dead letter')
    measure.deadLetter(consumer, cause)
  }
