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
type Result = 'done' | 'planned' | 'before' | 'kept' | 'failed'
export type Tally = Readonly<Record<Result, number>>

/** The command's word for each result, and for no result at all. */
export type Words = Readonly<Record<Result | 'nothing', string>>

export const noResults: Tally = { done: 0, planned: 0, before: 0, kept: 0, failed: 0 }

/** `3 sent, 1 sent before`: results with a count of zero are left out. */
export const tallyText = (tally: Tally, words: Words): string =>
  Object.entries(tally)
    .filter(([, count]) => count > 0)
    .map(([result, count]) => `${count} ${words[result as Result]}`)
    .join(', ') || words.nothing

/** A record that is not sent now. */
export type NotSent = { readonly result: 'before' | 'kept' | 'failed'; readonly why?: string }

export type BatchPorts = {
  readonly readTopic: ReadTopic
  readonly redrives: Pick<Redrives, 'remember' | 'lease'>
  readonly pace: Pace
  readonly now: Now
  readonly out: (line: string) => void
}

/** The options of a command. */
export type Sending<Filters> = {
  readonly filters: Filters
  /** The maximum number of records to send. */
  readonly limit: number
  readonly dryRun: boolean
}

type Job<Matching, Chosen> = {
  readonly topic: TopicName
  readonly words: Words
  /** Selects the matching records and decides about each. Rejects while MongoDB does not respond. */
  readonly read: (records: ReadonlyArray<IncomingRecord>) => Promise<{
    readonly matching: ReadonlyArray<Matching>
    readonly decide: (each: Matching) => E.Either<NotSent, Chosen>
  }>
  /** Why a record must not be sent any more, asked directly before a batch is sent. Rejects as `read` does. */
  readonly stopped: (batch: ReadonlyArray<Chosen>) => Promise<(each: Chosen) => string | undefined>
  readonly send: (chosen: Chosen) => Promise<E.Either<Failure, unknown>>
  /** The id under which MongoDB remembers that this record was sent. */
  readonly memoryIdOf: (chosen: Chosen) => string
  readonly line: (word: string, each: Matching, why?: string) => string
}

/** `words`: the result as text. `trouble`: why the command ended before the limit or the end of the topic. */
export type Ended = { readonly tally: Tally; readonly words: ReadonlyArray<string>; readonly trouble?: string }

/**
 * Sends the selected records of a topic in their order. MongoDB remembers a record after Kafka has acknowledged it. So
 * after a crash the last batch may be sent but not remembered. The same command then continues from that batch. When
 * `interrupted` aborts, the command ends early, and `trouble` says so.
 */
export const sendInBatches = async <Matching, Chosen extends Matching>(
  ports: BatchPorts,
  job: Job<Matching, Chosen>,
  sending: Sending<{ readonly id?: ReadonlyArray<string> }>,
  interrupted: AbortSignal,
): Promise<Ended> => {
  if (sending.dryRun) return sendLeased(ports, job, sending, interrupted, undefined)
  const lease = await ports.redrives.lease().catch(() => 'unknown' as const)
  if (lease === 'unknown') return notBegun('MongoDB does not answer, so it is not known whether a redrive is running')
  if (lease === undefined) return notBegun(busy)
  try {
    return await sendLeased(ports, job, sending, interrupted, lease)
  } finally {
    // Without it the lease ends by itself after a minute.
    await lease.release().catch(() => undefined)
  }
}

const busy = 'Another redrive is running. Wait until it has ended; if its process has died, that takes a minute.'

/** Nothing was sent, and why. */
const notBegun = (trouble: string): Ended => ({ tally: noResults, words: [], trouble })

const sendLeased = async <Matching, Chosen extends Matching>(
  { readTopic, redrives, pace, now, out }: BatchPorts,
  { topic, words, read, stopped, send, memoryIdOf, line }: Job<Matching, Chosen>,
  { filters, limit, dryRun }: Sending<{ readonly id?: ReadonlyArray<string> }>,
  interrupted: AbortSignal,
  lease: Lease | undefined,
): Promise<Ended> => {
  const enough = new AbortController()
  const signal = AbortSignal.any([interrupted, enough.signal])
  const tally: Record<Result, number> = { ...noResults }
  let trouble: string | undefined

  const halt = (reason: string) => {
    trouble ??= reason
    enough.abort()
  }
  const report = (result: Result, each: Matching, why?: string) => {
    tally[result]++
    if (result !== 'before') out(line(words[result], each, why))
  }
  const left = () => Math.max(0, limit - tally.done - tally.planned - tally.failed)

  const sendBatch = async (batch: ReadonlyArray<Chosen>) => {
    await pace.next(batch.length, signal)
    if (signal.aborted) return
    const known = await Promise.all([stopped(batch), lease?.renew()]).catch(() => undefined)
    if (known === undefined) return halt('MongoDB does not answer, so it is not known which records may still be sent')
    const [stoppedNow, isHeld = true] = known
    if (!isHeld) return halt('Another redrive has begun, because this one made no progress for a minute. Run it again')
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
        report('failed', each, sent.left.reason)
        if (sent.left.kind === 'transient') halt(`Kafka: ${sent.left.reason}`)
      }
    if (!remembered)
      halt(`MongoDB does not answer: ${ids.length} of these were ${words.done}, but that could not be stored`)
  }
  const onSlice = async (records: ReadonlyArray<IncomingRecord>) => {
    const slice = await read(records).catch(() => undefined)
    if (slice === undefined)
      return halt(`MongoDB does not answer, so it is not known which records were ${words.before}`)
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
  if (E.isLeft(result)) halt(result.left.reason)
  if (interrupted.aborted) trouble = 'Interrupted. Run the same redrive again to continue.'
  const counts = tallyText(tally, words)
  const mayBeMore = filters.id === undefined || filters.id.length > limit
  return {
    tally,
    // After trouble, "nothing fits" may be false, because not all records were read.
    words: [
      ...(trouble && counts === words.nothing ? [] : [counts]),
      ...(left() === 0 && mayBeMore ? [`The limit of ${limit} is reached. There may be more.`] : []),
    ],
    ...(trouble !== undefined && { trouble }),
  }
}
