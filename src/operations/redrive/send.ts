import * as E from 'fp-ts/lib/Either.js'
import { deadLetters } from '../../../contracts/topics.ts'
import type { IncomingRecord, Now, Sleep } from '../../domain/ports.ts'
import type { KafkaRoom } from '../../kafka/kafka.ts'
import type { ReadTopic } from '../../kafka/read-topic.ts'
import { unreadableBatch } from '../../kafka/unreadable.ts'
import type { Redrives } from '../../mongo/redrives.ts'
import { printable } from '../../shared/printable.ts'
import { chunks } from '../../shared/slices.ts'
import { decide, isOutdated, type Known, type Rules, stateTopics } from './guard.ts'
import { type Filters, type Letter, matches, memoryIdOf, originOf, partOf, readLetter } from './letters.ts'

/** What became of a dead letter that was to be sent. */
const fates = ['sent', 'would be sent', 'sent before', 'refused', 'failed'] as const
type Fate = (typeof fates)[number]

type Tally = Readonly<Record<Fate, number>>

export const noFates: Tally = { sent: 0, 'would be sent': 0, 'sent before': 0, refused: 0, failed: 0 }

const width = Math.max(...fates.map(({ length }) => length))

export const fateLine = (fate: Fate, letter: Letter, why?: string): string =>
  [fate.padEnd(width), letter.id, originOf(letter), letter.consumer, letter.cause, ...(why ? [why] : [])]
    .map(printable)
    .join('  ')

/** `3 sent, 1 sent before`: only what there was of. */
export const tallyText = (tally: Tally): string =>
  fates
    .filter((fate) => tally[fate] > 0)
    .map((fate) => `${tally[fate]} ${fate}`)
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

/** A letter that is to be sent back; `redriven` counts with this time. */
type Chosen = { readonly record: IncomingRecord; readonly letter: Letter; readonly redriven: number }

type BatchPorts = Pick<KafkaRoom, 'redrive'> & { readonly redrives: Redrives; readonly now: Now }

/** What became of each, and what else forbids to go on, if anything does. */
type BatchSent = {
  readonly fates: ReadonlyArray<{ readonly letter: Letter; readonly fate: Fate; readonly why?: string }>
  readonly trouble?: string
}

const withinMs = 20_000

/** Sends letters back in their order, and remembers those that Kafka has. */
const sendBatch = async ({ redrive, redrives, now }: BatchPorts, batch: ReadonlyArray<Chosen>): Promise<BatchSent> => {
  const outcomes = await Promise.all(
    batch.map(async ({ record, letter, redriven }) => {
      const { origin, firstFailedAt } = letter
      return { letter, appended: await redrive(record, { topic: origin.topic, redriven, firstFailedAt }, withinMs) }
    }),
  )
  const sent = outcomes.filter(({ appended }) => E.isRight(appended)).map(({ letter }) => memoryIdOf(letter))
  const remembered = await redrives.remember(sent, now()).then(
    () => undefined,
    () => `MongoDB does not answer: ${sent.length} of these were sent, and that is not remembered`,
  )
  const away = outcomes.flatMap(({ appended }) =>
    E.isLeft(appended) && appended.left.kind === 'transient' ? [`Kafka: ${appended.left.reason}`] : [],
  )
  const trouble = away[0] ?? remembered
  return {
    fates: outcomes.map(({ letter, appended }) =>
      E.isRight(appended) ? { letter, fate: 'sent' } : { letter, fate: 'failed', why: appended.left.reason },
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
  /** Letters that are sent at most. */
  readonly limit: number
  readonly dryRun: boolean
}

/** `trouble`: why it ended early, where that was not wanted. */
type Sent = { readonly tally: Tally; readonly limited: boolean; readonly trouble?: string }

type Meant = { readonly record: IncomingRecord; readonly letter: Letter }

/** What MongoDB knows of these letters. */
const readKnown = async ({ find, states }: BatchPorts['redrives'], meant: ReadonlyArray<Meant>) => {
  const keys = stateTopics.map((topic) =>
    meant.flatMap(({ record: { key }, letter }) => (letter.origin.topic === topic ? [String(key)] : [])),
  )
  const [before, ...found] = await Promise.all([
    find(meant.map(({ letter }) => memoryIdOf(letter))),
    ...stateTopics.map((topic, i) => states(topic, keys[i] ?? [])),
  ])
  return (record: IncomingRecord, letter: Letter): Known => {
    const state = stateTopics.flatMap((topic, i) =>
      topic === letter.origin.topic ? [found[i]?.get(String(record.key))] : [],
    )
    return {
      timesSent: before.get(memoryIdOf(letter))?.length ?? 0,
      outdated: isOutdated(letter, record, state[0]),
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
  const tally: Record<Fate, number> = { ...noFates }
  let trouble: string | undefined

  const halt = (reason: string) => {
    trouble ??= reason
    enough.abort()
  }
  const tell = (fate: Fate, letter: Letter, why?: string) => {
    tally[fate]++
    if (fate !== 'sent before') out(fateLine(fate, letter, why))
  }
  const left = () => limit - tally.sent - tally.failed - tally['would be sent']

  const choose = (record: IncomingRecord, letter: Letter, known: Known): ReadonlyArray<Chosen> => {
    if (letter.cause === unreadableBatch) {
      tell('failed', letter, 'it is a whole batch of records, which no topic takes for one')
      return []
    }
    const decision = decide(letter, known, rules)
    if (decision.kind === 'send') return [{ record, letter, redriven: decision.redriven }]
    tell(decision.kind, letter, decision.kind === 'refused' ? decision.why : undefined)
    return []
  }
  const send = async (batch: ReadonlyArray<Chosen>) => {
    await pace.next(batch.length, signal)
    if (signal.aborted) return
    const sent = await sendBatch(ports, batch)
    for (const { letter, fate, why } of sent.fates) tell(fate, letter, why)
    if (sent.trouble !== undefined) halt(sent.trouble)
  }
  const onSlice = async (records: ReadonlyArray<IncomingRecord>) => {
    const meant = records.flatMap((record) => {
      const letter = readLetter(record)
      return E.isRight(letter) && isMeant(letter.right) ? [{ record, letter: letter.right }] : []
    })
    const knownOf = await readKnown(redrives, meant).catch(() => undefined)
    if (knownOf === undefined) return halt('MongoDB does not answer, and what was sent before is not known')
    for (const some of chunks(meant, pace.atOnce)) {
      if (signal.aborted) return
      const batch = some
        .flatMap(({ record, letter }) => choose(record, letter, knownOf(record, letter)))
        .slice(0, left())
      if (dryRun) for (const { letter } of batch) tell('would be sent', letter)
      else if (batch.length > 0) await send(batch)
      if (left() === 0) enough.abort()
    }
  }
  const read = await readTopic(deadLetters.name, onSlice, { part: partOf(filters.id), signal })
  if (E.isLeft(read)) halt(read.left.reason)
  return { tally, limited: left() === 0, ...(trouble !== undefined && { trouble }) }
}
