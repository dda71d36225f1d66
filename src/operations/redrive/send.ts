import * as E from 'fp-ts/lib/Either.js'
import { deadLetters } from '../../../contracts/topics.ts'
import type { IncomingRecord } from '../../domain/ports.ts'
import type { ReadTopic } from '../../kafka/read-topic.ts'
import { unreadableBatch } from '../../kafka/unreadable.ts'
import { type Fate, fateLine, noFates, type Tally } from './fate.ts'
import { type Filters, matches, partOf } from './filters.ts'
import { decide, isOutdated, type Known, type Rules, stateTopics } from './guard.ts'
import { type Letter, memoryIdOf, readLetter } from './letter.ts'
import type { Pace } from './pace.ts'
import { type BatchPorts, type Chosen, sendBatch } from './send-batch.ts'

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
export type Sent = { readonly tally: Tally; readonly limited: boolean; readonly trouble?: string }

const chunksOf = <A>(items: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))

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
    for (const some of chunksOf(meant, pace.atOnce)) {
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
