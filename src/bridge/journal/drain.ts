import * as E from 'fp-ts/lib/Either.js'
import type { Failure, OutgoingRecord } from '../domain/log/record.ts'
import { backoff } from '../shared/backoff.ts'
import type { Log } from '../shared/log.ts'
import type { Sleep } from '../shared/time.ts'
import { transient } from './failover.ts'
import type { Journal } from './journal.ts'
import type { Entry } from './reader.ts'

/** Keeps a record that Kafka will never accept, with the reason. Resolves when it is durable; throws for a retry. */
export type Reject = (record: OutgoingRecord, reason: string) => Promise<void>

/**
 * Appends a record to Kafka, however long that takes: the producer must never give up a record and then accept a later
 * one. Left, transient: Kafka does not accept the record now.
 */
export type Send = (record: OutgoingRecord) => Promise<E.Either<Failure, void>>

/** How records of a journal go to Kafka. */
export type ToKafka = {
  readonly send: Send
  readonly reject: Reject
  readonly sleep: Sleep
  readonly random: () => number
  readonly log: Log
}

type Drain = ToKafka & {
  readonly journal: Pick<Journal, 'peek' | 'drained' | 'state'>
  /** Receives the outcome of a round. True when the drain has ended. */
  readonly report: (type: 'NearlyDrained' | 'Drained' | 'DrainFailed') => boolean
  /** Resolves when the journal has written or refused all records that it has received so far. */
  readonly written: () => Promise<unknown>
  readonly stopping: AbortSignal
  /** The journal's name in the log. */
  readonly journalName: string
}

/** How many records are sent together, at most, in the order of the journal. */
const maxAtOnce = 512

/** How long to wait for the producer before a retry. It grows, since retries in an outage only make duplicates. */
const answerWithinMs = (failures: number) => 600_000 * 2 ** Math.min(failures, 3)

const pauses = { baseMs: 50, capMs: 1_000 }

/**
 * `appended`: at least the oldest record is settled, because Kafka has it or it is stored as a dead letter. `outcome`:
 * the failure of the first record that must be repeated, or of the journal.
 */
type Round = { readonly appended: boolean; readonly outcome: E.Either<Failure, void> }

/** `taken`: positions that Kafka has acknowledged, but that cannot be removed before an older record is repeated. */
type Batch = Drain & { readonly taken: Set<number> }

const sendOnce = async ({ position, record }: Entry, { send, taken }: Batch): Promise<E.Either<Failure, void>> => {
  if (taken.has(position)) return E.right(undefined)
  const outcome = await send(record)
  if (E.isRight(outcome)) taken.add(position)
  return outcome
}

const settle = async (entry: Entry, outcome: E.Either<Failure, void>, { reject, log }: Drain) => {
  if (E.isRight(outcome) || outcome.left.kind === 'transient') return outcome
  const { topic } = entry.record
  log.error({ topic, position: entry.position, reason: outcome.left.reason }, 'Kafka refuses a journaled record')
  try {
    return E.right(await reject(entry.record, outcome.left.reason))
  } catch {
    return transient('a refused record cannot be stored as a dead letter')
  }
}

/** Sends all entries that Kafka has not accepted yet. Then settles entries in order, up to the first failed one. */
const appendAll = async (entries: ReadonlyArray<Entry>, failures: number, given: Batch): Promise<Round> => {
  const sent = Promise.all(entries.map((entry) => sendOnce(entry, given)))
  const over = new AbortController()
  const late = given
    .sleep(answerWithinMs(failures), AbortSignal.any([given.stopping, over.signal]))
    .then(() => undefined)
  const outcomes = await Promise.race([sent, late])
  over.abort()
  if (outcomes === undefined) return { appended: false, outcome: transient('the producer does not answer') }
  let done: number | undefined
  let outcome: E.Either<Failure, void> = E.right(undefined)
  for (const [i, entry] of entries.entries()) {
    outcome = await settle(entry, outcomes[i] ?? E.right(undefined), given)
    if (E.isLeft(outcome) || given.stopping.aborted) break
    done = entry.position
  }
  if (given.stopping.aborted || done === undefined) return { appended: false, outcome }
  for (const position of given.taken) if (position <= done) given.taken.delete(position)
  const remembered = await given.journal.drained(done)
  return { appended: true, outcome: E.isLeft(outcome) ? outcome : remembered }
}

const round = async (failures: number, given: Batch): Promise<Round> => {
  const entries = await given.journal.peek(maxAtOnce)
  if (E.isLeft(entries)) return { appended: false, outcome: entries }
  if (entries.right.length > 0 && !given.stopping.aborted) return appendAll(entries.right, failures, given)
  await given.written()
  return { appended: false, outcome: E.right(undefined) }
}

/**
 * Sends the journal's records to Kafka, batch after batch, until `report` returns true or the bridge stops. After the
 * stop it does not change the journal.
 */
export const drain = async (given: Drain): Promise<void> => {
  const { journal, report, sleep, random, stopping, log, journalName } = given
  const batch = { ...given, taken: new Set<number>() }
  for (let failures = 0; !stopping.aborted; ) {
    const { appended, outcome } = await round(failures, batch)
    if (stopping.aborted) return
    const { records } = journal.state()
    if (appended) failures = 0
    if (E.isLeft(outcome)) {
      if (failures === 0)
        log.warn({ journal: journalName, reason: outcome.left.reason, records }, 'the journal cannot be drained yet')
      failures += 1
      report('DrainFailed')
      await sleep(backoff(failures, pauses, random), stopping)
    } else {
      failures = 0
      if (records === 0 && report('Drained')) return
      // If the journal refuses all records, it is empty. But under load some record is always on its way to it, so the
      // topic would never become direct. After `NearlyDrained`, new records are held. They are sent to Kafka directly
      // when the journal has refused the earlier ones: only a direct send shows whether Kafka is available.
      if (records === 0 || (appended && records <= maxAtOnce)) report('NearlyDrained')
    }
  }
}
