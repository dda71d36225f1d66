import * as E from 'fp-ts/lib/Either.js'
import type { TopicName } from '../../../../contracts/topics.ts'
import type { Now } from '../../domain/clock.ts'
import type { Failure, IncomingRecord } from '../../domain/log/record.ts'
import type { ReadTopic } from '../../kafka/read-topic.ts'
import type { Lease, Redrives } from '../../mongo/redrives.ts'
import { chunks } from '../../shared/slices.ts'
import type { Sleep } from '../../shared/time.ts'
import { partOf } from './dead-letters.ts'

type Pace = {
  /** The maximum number of records in a batch. */
  readonly atOnce: number
  /** Resolves when `count` more records may be sent. */
  readonly next: (count: number, signal?: AbortSignal) => Promise<void>
}

const maxAtOnce = 100

/** Limits sending to `perSecond` on average and to one second's worth in a batch. `clock` in monotonic milliseconds. */
export const pace = (perSecond: number, clock: () => number, sleep: Sleep): Pace => {
  let due = Number.NEGATIVE_INFINITY
  return {
    atOnce: Math.min(perSecond, maxAtOnce),
    next: async (count, signal) => {
      const begin = Math.max(due, clock())
      due = begin + (count * 1000) / perSecond
      if (begin > clock()) await sleep(begin - clock(), signal)
    },
  }
}

/** What happened to a selected record. `planned`: dry run. `before`: sent earlier. `kept`: not sent, for a reason. */
export type Outcome = 'done' | 'planned' | 'before' | 'kept' | 'failed'
export type Tally = Readonly<Record<Outcome, number>>

export const noResults: Tally = { done: 0, planned: 0, before: 0, kept: 0, failed: 0 }

/**
 * Why a record was not sent. `redriven`: so often that an operator must insist. `unreadable`: a request that this version
 * still does not understand.
 */
export type Why =
  | { readonly kind: 'erased' | 'outdated' | 'batch' | 'foreign' | 'cut' | 'unknown-account' }
  | { readonly kind: 'redriven'; readonly times: number }
  | { readonly kind: 'unreadable' | 'kafka'; readonly reason: string }

/** What is said of each selected record, except of those that were sent earlier. */
export type RecordEvent<About> = About & { readonly kind: Exclude<Outcome, 'before'>; readonly why?: Why }

/** A record that is not sent now. */
export type NotSent = { readonly result: 'before' | 'kept' | 'failed'; readonly why?: Why }

export type BatchPorts<About> = {
  readonly readTopic: ReadTopic
  readonly redrives: Pick<Redrives, 'remember' | 'lease'>
  readonly pace: Pace
  readonly now: Now
  readonly say: (event: RecordEvent<About>) => void
}

/** The options of a command. */
export type Sending<Filters> = {
  readonly filters: Filters
  /** The maximum number of records to send. */
  readonly limit: number
  readonly dryRun: boolean
}

type Job<Matching, Chosen, About> = {
  readonly topic: TopicName
  /** Selects the matching records and decides about each. Rejects while MongoDB does not respond. */
  readonly read: (records: ReadonlyArray<IncomingRecord>) => Promise<{
    readonly matching: ReadonlyArray<Matching>
    readonly decide: (each: Matching) => E.Either<NotSent, Chosen>
  }>
  /** Why a record must not be sent any more, asked directly before a batch is sent. Rejects as `read` does. */
  readonly stopped: (batch: ReadonlyArray<Chosen>) => Promise<(each: Chosen) => Why | undefined>
  readonly send: (chosen: Chosen) => Promise<E.Either<Failure, unknown>>
  /** The id under which MongoDB remembers that this record was sent. */
  readonly memoryIdOf: (chosen: Chosen) => string
  readonly about: (each: Matching) => About
}

/**
 * Why a redrive ended before the limit or the end of the topic. `busy`: another one runs. `overtaken`: another one has
 * begun. `mongodb`: it does not answer, so something is not known. `not-stored`: that so many were sent.
 */
export type Trouble =
  | { readonly kind: 'busy' | 'overtaken' | 'interrupted' }
  | { readonly kind: 'mongodb'; readonly unknown: 'running' | 'allowed' | 'sent-before' }
  | { readonly kind: 'not-stored'; readonly count: number }
  | { readonly kind: 'kafka'; readonly reason: string }

/** What a redrive has done. `limit`: it is reached, and there may be more. */
export type Redriven = { readonly tally: Tally; readonly limit?: number; readonly trouble?: Trouble }

/**
 * Sends the selected records of a topic in their order. MongoDB remembers a record after Kafka has acknowledged it. So
 * after a crash the last batch may be sent but not remembered. The same command then continues from that batch. When
 * `interrupted` aborts, the command ends early, and `trouble` says so.
 */
export const sendInBatches = async <Matching, Chosen extends Matching, About extends object>(
  ports: BatchPorts<About>,
  job: Job<Matching, Chosen, About>,
  sending: Sending<{ readonly id?: ReadonlyArray<string> }>,
  interrupted: AbortSignal,
): Promise<Redriven> => {
  if (sending.dryRun) return sendLeased(ports, job, sending, interrupted, undefined)
  const lease = await ports.redrives.lease().catch(() => 'unknown' as const)
  if (lease === 'unknown') return notBegun({ kind: 'mongodb', unknown: 'running' })
  if (lease === undefined) return notBegun({ kind: 'busy' })
  try {
    return await sendLeased(ports, job, sending, interrupted, lease)
  } finally {
    // Without it the lease ends by itself after a minute.
    await lease.release().catch(() => undefined)
  }
}

/** Nothing was sent, and why. */
const notBegun = (trouble: Trouble): Redriven => ({ tally: noResults, trouble })

const sendLeased = async <Matching, Chosen extends Matching, About extends object>(
  { readTopic, redrives, pace, now, say }: BatchPorts<About>,
  { topic, read, stopped, send, memoryIdOf, about }: Job<Matching, Chosen, About>,
  { filters, limit, dryRun }: Sending<{ readonly id?: ReadonlyArray<string> }>,
  interrupted: AbortSignal,
  lease: Lease | undefined,
): Promise<Redriven> => {
  const enough = new AbortController()
  const signal = AbortSignal.any([interrupted, enough.signal])
  const tally: Record<Outcome, number> = { ...noResults }
  let trouble: Trouble | undefined

  const halt = (why: Trouble) => {
    trouble ??= why
    enough.abort()
  }
  const report = (outcome: Outcome, each: Matching, why?: Why) => {
    tally[outcome]++
    if (outcome !== 'before') say({ kind: outcome, ...about(each), ...(why && { why }) })
  }
  const left = () => Math.max(0, limit - tally.done - tally.planned - tally.failed)

  const sendBatch = async (batch: ReadonlyArray<Chosen>) => {
    await pace.next(batch.length, signal)
    if (signal.aborted) return
    const known = await Promise.all([stopped(batch), lease?.renew()]).catch(() => undefined)
    if (known === undefined) return halt({ kind: 'mongodb', unknown: 'allowed' })
    const [stoppedNow, isHeld = true] = known
    if (!isHeld) return halt({ kind: 'overtaken' })
    const due = batch.flatMap((each) => {
      const why = stoppedNow(each)
      if (why === undefined) return [each]
      report('kept', each, why)
      return []
    })
    const outcomes = await Promise.all(due.map(async (each) => ({ each, sent: await send(each) })))
    const ids = outcomes.filter(({ sent }) => E.isRight(sent)).map(({ each }) => memoryIdOf(each))
    const remembered = await redrives.remember(ids, now()).then(
      () => true,
      () => false,
    )
    for (const { each, sent } of outcomes)
      if (E.isRight(sent)) report('done', each)
      else {
        report('failed', each, { kind: 'kafka', reason: sent.left.reason })
        if (sent.left.kind === 'transient') halt({ kind: 'kafka', reason: sent.left.reason })
      }
    if (!remembered) halt({ kind: 'not-stored', count: ids.length })
  }
  const onSlice = async (records: ReadonlyArray<IncomingRecord>) => {
    const slice = await read(records).catch(() => undefined)
    if (slice === undefined) return halt({ kind: 'mongodb', unknown: 'sent-before' })
    for (const some of chunks(slice.matching, pace.atOnce)) {
      if (signal.aborted) return
      const chosen = some.flatMap((each): ReadonlyArray<Chosen> => {
        const decision = slice.decide(each)
        if (E.isRight(decision)) return [decision.right]
        report(decision.left.result, each, decision.left.why)
        return []
      })
      const batch = chosen.slice(0, left())
      if (dryRun) for (const each of batch) report('planned', each)
      else if (batch.length > 0) await sendBatch(batch)
      if (left() === 0) enough.abort()
    }
  }
  const result = await readTopic(topic, onSlice, { part: partOf(filters.id), signal })
  if (E.isLeft(result)) halt({ kind: 'kafka', reason: result.left.reason })
  if (interrupted.aborted) trouble = { kind: 'interrupted' }
  const mayBeMore = filters.id === undefined || filters.id.length > limit
  return {
    tally,
    ...(left() === 0 && mayBeMore && { limit }),
    ...(trouble !== undefined && { trouble }),
  }
}
