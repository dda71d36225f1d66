import * as E from 'fp-ts/lib/Either.js'
import { deadLetterHeaders, deadLetters } from '../../../contracts/topics.ts'
import type { IncomingRecord, Now, Sleep } from '../../domain/ports.ts'
import type { KafkaRoom } from '../../kafka/kafka.ts'
import type { ReadTopic } from '../../kafka/read-topic.ts'
import { unreadableBatch } from '../../kafka/unreadable.ts'
import { nameOfErased } from '../../mongo/erasures.ts'
import type { Redrives } from '../../mongo/redrives.ts'
import { printable } from '../../shared/printable.ts'
import { chunks } from '../../shared/slices.ts'
import {
  type Filters,
  matches,
  memoryIdOf,
  originOf,
  partOf,
  readDeadLetter,
  type StoredDeadLetter,
} from './dead-letters.ts'
import { decide, erasedKeyOf, isOutdated, type Known, type Rules, stateTopics } from './guard.ts'

/** What became of a dead letter that was to be sent. */
const results = ['sent', 'would be sent', 'sent before', 'refused', 'failed'] as const
type SendResult = (typeof results)[number]

type Tally = Readonly<Record<SendResult, number>>

export const noResults: Tally = { sent: 0, 'would be sent': 0, 'sent before': 0, refused: 0, failed: 0 }

const width = Math.max(...results.map(({ length }) => length))

export const resultLine = (result: SendResult, deadLetter: StoredDeadLetter, why?: string): string =>
  [
    result.padEnd(width),
    deadLetter.id,
    originOf(deadLetter),
    deadLetter.consumer,
    deadLetter.cause,
    ...(why ? [why] : []),
  ]
    .map(printable)
    .join('  ')

/** `3 sent, 1 sent before`: only what there was of. */
export const tallyText = (tally: Tally): string =>
  results
    .filter((result) => tally[result] > 0)
    .map((result) => `${tally[result]} ${result}`)
    .join(', ') || 'no dead letter fits'

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

/** A dead letter that is to be sent back; `redriven` counts with this time. */
type Chosen = { readonly record: IncomingRecord; readonly deadLetter: StoredDeadLetter; readonly redriven: number }

type BatchPorts = Pick<KafkaRoom, 'redrive'> & { readonly redrives: Redrives; readonly now: Now }

/** What became of each, and what else forbids to go on, if anything does. */
type BatchSent = {
  readonly results: ReadonlyArray<{
    readonly deadLetter: StoredDeadLetter
    readonly result: SendResult
    readonly why?: string
  }>
  readonly trouble?: string
}

const withinMs = 20_000

/** Sends dead letters back in their order, and remembers those that Kafka has. */
const sendBatch = async ({ redrive, redrives, now }: BatchPorts, batch: ReadonlyArray<Chosen>): Promise<BatchSent> => {
  const outcomes = await Promise.all(
    batch.map(async ({ record, deadLetter, redriven }) => {
      const { origin, firstFailedAt } = deadLetter
      return { deadLetter, appended: await redrive(record, { topic: origin.topic, redriven, firstFailedAt }, withinMs) }
    }),
  )
  const sent = outcomes.filter(({ appended }) => E.isRight(appended)).map(({ deadLetter }) => memoryIdOf(deadLetter))
  const remembered = await redrives.remember(sent, now()).then(
    () => undefined,
    () => `MongoDB does not answer: ${sent.length} of these were sent, and that is not remembered`,
  )
  const away = outcomes.flatMap(({ appended }) =>
    E.isLeft(appended) && appended.left.kind === 'transient' ? [`Kafka: ${appended.left.reason}`] : [],
  )
  const trouble = away[0] ?? remembered
  return {
    results: outcomes.map(({ deadLetter, appended }) =>
      E.isRight(appended)
        ? { deadLetter, result: 'sent' }
        : { deadLetter, result: 'failed', why: appended.left.reason },
    ),
    ...(trouble !== undefined && { trouble }),
  }
}

type Ports = BatchPorts & {
  readonly readTopic: ReadTopic
  readonly pace: Pace
  readonly out: (line: string) => void
}

export type Sending = {
  readonly filters: Filters
  readonly rules: Rules
  /** Dead letters that are sent at most. */
  readonly limit: number
  readonly dryRun: boolean
}

/** `trouble`: why it ended early, where that was not wanted. */
type Sent = { readonly tally: Tally; readonly limited: boolean; readonly trouble?: string }

type Meant = { readonly record: IncomingRecord; readonly deadLetter: StoredDeadLetter }

/** Whether the record was there before that time: one that was sent back before is newer than its content. */
const isBefore = ({ firstFailedAt }: StoredDeadLetter, { headers }: IncomingRecord, erasedAt: Date | undefined) => {
  const times = [firstFailedAt, String(headers[deadLetterHeaders.timestamp])].map(Date.parse)
  return erasedAt !== undefined && Math.min(...times) < erasedAt.getTime()
}

/** What MongoDB knows of these dead letters. */
const readKnown = async ({ find, states, erasedAt }: BatchPorts['redrives'], meant: ReadonlyArray<Meant>) => {
  const keys = stateTopics.map((topic) =>
    meant.flatMap(({ record: { key }, deadLetter }) => (deadLetter.origin.topic === topic ? [String(key)] : [])),
  )
  const erasedKey = ({ record, deadLetter }: Meant) => erasedKeyOf(deadLetter.origin.topic, String(record.key))
  const [before, erased, ...found] = await Promise.all([
    find(meant.map(({ deadLetter }) => memoryIdOf(deadLetter))),
    erasedAt(meant.map(erasedKey)),
    ...stateTopics.map((topic, i) => states(topic, keys[i] ?? [])),
  ])
  return (record: IncomingRecord, deadLetter: StoredDeadLetter): Known => {
    const state = stateTopics.flatMap((topic, i) =>
      topic === deadLetter.origin.topic ? [found[i]?.get(String(record.key))] : [],
    )
    return {
      timesSent: before.get(memoryIdOf(deadLetter))?.length ?? 0,
      outdated: isOutdated(deadLetter, record, state[0]),
      erased: isBefore(deadLetter, record, erased.get(nameOfErased(erasedKey({ record, deadLetter })))),
    }
  }
}

/**
 * Sends dead letters back to where they came from, those of a key in their order; each is remembered once Kafka has it, so that
 * whatever ends this may have sent its last batch unremembered, and the same again goes on from there. Ends early, and well,
 * when the signal aborts.
 */
export const sendLetters = async (ports: Ports, sending: Sending, interrupted: AbortSignal): Promise<Sent> => {
  const { readTopic, redrives, pace, out } = ports
  const { filters, rules, limit, dryRun } = sending
  const enough = new AbortController()
  const signal = AbortSignal.any([interrupted, enough.signal])
  const isMeant = matches(filters)
  const tally: Record<SendResult, number> = { ...noResults }
  let trouble: string | undefined

  const halt = (reason: string) => {
    trouble ??= reason
    enough.abort()
  }
  const tell = (result: SendResult, deadLetter: StoredDeadLetter, why?: string) => {
    tally[result]++
    if (result !== 'sent before') out(resultLine(result, deadLetter, why))
  }
  const left = () => limit - tally.sent - tally.failed - tally['would be sent']

  const choose = (record: IncomingRecord, deadLetter: StoredDeadLetter, known: Known): ReadonlyArray<Chosen> => {
    if (deadLetter.cause === unreadableBatch) {
      tell('failed', deadLetter, 'it is a whole batch of records, which no topic takes for one')
      return []
    }
    const decision = decide(deadLetter, known, rules)
    if (decision.kind === 'send') return [{ record, deadLetter, redriven: decision.redriven }]
    tell(decision.kind, deadLetter, decision.kind === 'refused' ? decision.why : undefined)
    return []
  }
  const send = async (batch: ReadonlyArray<Chosen>) => {
    await pace.next(batch.length, signal)
    if (signal.aborted) return
    const sent = await sendBatch(ports, batch)
    for (const { deadLetter, result, why } of sent.results) tell(result, deadLetter, why)
    if (sent.trouble !== undefined) halt(sent.trouble)
  }
  const onSlice = async (records: ReadonlyArray<IncomingRecord>) => {
    const meant = records.flatMap((record) => {
      const deadLetter = readDeadLetter(record)
      return E.isRight(deadLetter) && isMeant(deadLetter.right) ? [{ record, deadLetter: deadLetter.right }] : []
    })
    const knownOf = await readKnown(redrives, meant).catch(() => undefined)
    if (knownOf === undefined) return halt('MongoDB does not answer, and what was sent before is not known')
    for (const some of chunks(meant, pace.atOnce)) {
      if (signal.aborted) return
      const batch = some
        .flatMap(({ record, deadLetter }) => choose(record, deadLetter, knownOf(record, deadLetter)))
        .slice(0, left())
      if (dryRun) for (const { deadLetter } of batch) tell('would be sent', deadLetter)
      else if (batch.length > 0) await send(batch)
      if (left() === 0) enough.abort()
    }
  }
  const read = await readTopic(deadLetters.name, onSlice, { part: partOf(filters.id), signal })
  if (E.isLeft(read)) halt(read.left.reason)
  return { tally, limited: left() === 0, ...(trouble !== undefined && { trouble }) }
}
