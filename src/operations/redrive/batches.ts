import * as E from 'fp-ts/lib/Either.js'
import type { TopicName } from '../../../contracts/topics.ts'
import type { Failure, IncomingRecord, Now, Sleep } from '../../domain/ports.ts'
import type { ReadTopic } from '../../kafka/read-topic.ts'
import type { Redrives } from '../../mongo/redrives.ts'
import { chunks } from '../../shared/slices.ts'
import { commandText, ofAccount, type RecordAction } from '../audit.ts'
import { partOf } from './dead-letters.ts'

type Pace = {
  /** As many as may go at once. */
  readonly atOnce: number
  /** Resolves when so many more may go. */
  readonly next: (count: number, signal?: AbortSignal) => Promise<void>
}

const mostAtOnce = 100

/** So many a second on average, and never more than a second's worth at once. `clock` in monotonic milliseconds. */
export const pace = (perSecond: number, clock: () => number, sleep: Sleep): Pace => {
  let due = Number.NEGATIVE_INFINITY
  return {
    atOnce: Math.min(perSecond, mostAtOnce),
    next: async (count, signal) => {
      const begin = Math.max(due, clock())
      due = begin + (count * 1000) / perSecond
      if (begin > clock()) await sleep(begin - clock(), signal)
    },
  }
}

/** What became of a record that was to be sent; `planned` in a dry run, `kept` where it stays for a reason. */
type Result = 'done' | 'planned' | 'before' | 'kept' | 'failed'
export type Tally = Readonly<Record<Result, number>>

/** What a command calls each result, and nothing at all. */
export type Words = Readonly<Record<Result | 'nothing', string>>

export const noResults: Tally = { done: 0, planned: 0, before: 0, kept: 0, failed: 0 }

/** `3 sent, 1 sent before`: only what there was of. */
export const tallyText = (tally: Tally, words: Words): string =>
  Object.entries(tally)
    .filter(([, count]) => count > 0)
    .map(([result, count]) => `${count} ${words[result as Result]}`)
    .join(', ') || words.nothing

/** A record that is not sent now. */
export type NotSent = { readonly result: 'before' | 'kept' | 'failed'; readonly why?: string }

export type BatchPorts = {
  readonly readTopic: ReadTopic
  readonly redrives: Pick<Redrives, 'remember'>
  readonly recordAction: RecordAction
  readonly pace: Pace
  readonly now: Now
  readonly out: (line: string) => void
}

/** What a command was asked for. */
export type Sending<Filters> = {
  readonly filters: Filters
  /** Records that are sent at most. */
  readonly limit: number
  readonly dryRun: boolean
}

type Job<Meant, Chosen> = {
  /** What the command line calls it. */
  readonly command: string
  readonly topic: TopicName
  readonly words: Words
  /** What is meant of these records, and the decision about each. Rejects where MongoDB does not answer. */
  readonly read: (records: ReadonlyArray<IncomingRecord>) => Promise<{
    readonly meant: ReadonlyArray<Meant>
    readonly decide: (each: Meant) => E.Either<NotSent, Chosen>
  }>
  readonly send: (chosen: Chosen) => Promise<E.Either<Failure, unknown>>
  /** Under what it is remembered that this one was sent. */
  readonly memoryIdOf: (chosen: Chosen) => string
  readonly line: (word: string, each: Meant, why?: string) => string
}

/** `words`: what became of it. `trouble`: why it ended early, where that was not wanted. */
type Ended = { readonly tally: Tally; readonly words: ReadonlyArray<string>; readonly trouble?: string }

/**
 * Records on `audit` that this is done, unless it is a dry run; Left: it is not known to be recorded, and nothing was done. Then sends
 * what is meant of a topic, in its order; each is remembered once Kafka has it, so that whatever ends this may have sent its
 * last batch unremembered, and the same again goes on from there. Ends early, and well, when the signal aborts.
 */
export const sendInBatches = async <Meant, Chosen extends Meant>(
  { readTopic, redrives, recordAction, pace, now, out }: BatchPorts,
  { command, topic, words, read, send, memoryIdOf, line }: Job<Meant, Chosen>,
  { filters, limit, dryRun }: Sending<{ readonly account?: string; readonly id?: ReadonlyArray<string> }>,
  interrupted: AbortSignal,
): Promise<E.Either<Failure, Ended>> => {
  const action = { action: 'redrive', detail: commandText(command, filters), ...ofAccount(filters.account) } as const
  const recorded = dryRun ? E.right(undefined) : await recordAction(action)
  if (E.isLeft(recorded)) return recorded
  const enough = new AbortController()
  const signal = AbortSignal.any([interrupted, enough.signal])
  const tally: Record<Result, number> = { ...noResults }
  let trouble: string | undefined

  const halt = (reason: string) => {
    trouble ??= reason
    enough.abort()
  }
  const tell = (result: Result, each: Meant, why?: string) => {
    tally[result]++
    if (result !== 'before') out(line(words[result], each, why))
  }
  const left = () => Math.max(0, limit - tally.done - tally.planned - tally.failed)

  const sendBatch = async (batch: ReadonlyArray<Chosen>) => {
    await pace.next(batch.length, signal)
    if (signal.aborted) return
    const outcomes = await Promise.all(batch.map(async (each) => ({ each, sent: await send(each) })))
    const ids = outcomes.filter(({ sent }) => E.isRight(sent)).map(({ each }) => memoryIdOf(each))
    const remembered = await redrives.remember(ids, now()).then(
      () => true,
      () => false,
    )
    for (const { each, sent } of outcomes)
      if (E.isRight(sent)) tell('done', each)
      else {
        tell('failed', each, sent.left.reason)
        if (sent.left.kind === 'transient') halt(`Kafka: ${sent.left.reason}`)
      }
    if (!remembered)
      halt(`MongoDB does not answer: ${ids.length} of these were ${words.done}, and that is not remembered`)
  }
  const onSlice = async (records: ReadonlyArray<IncomingRecord>) => {
    const slice = await read(records).catch(() => undefined)
    if (slice === undefined) return halt(`MongoDB does not answer, and what was ${words.before} is not known`)
    for (const some of chunks(slice.meant, pace.atOnce)) {
      if (signal.aborted) return
      const chosen = some.flatMap((each): ReadonlyArray<Chosen> => {
        const decision = slice.decide(each)
        if (E.isRight(decision)) return [decision.right]
        tell(decision.left.result, each, decision.left.why)
        return []
      })
      const batch = chosen.slice(0, left())
      if (dryRun) for (const each of batch) tell('planned', each)
      else if (batch.length > 0) await sendBatch(batch)
      if (left() === 0) enough.abort()
    }
  }
  const result = await readTopic(topic, onSlice, { part: partOf(filters.id), signal })
  if (E.isLeft(result)) halt(result.left.reason)
  if (interrupted.aborted) trouble = 'Interrupted: the same again goes on from here.'
  const told = tallyText(tally, words)
  const mayBeMore = filters.id === undefined || filters.id.length > limit
  return E.right({
    tally,
    // What was not read to its end may have some.
    words: [
      ...(trouble && told === words.nothing ? [] : [told]),
      ...(left() === 0 && mayBeMore ? [`The limit of ${limit} is reached: there may be more.`] : []),
    ],
    ...(trouble !== undefined && { trouble }),
  })
}
