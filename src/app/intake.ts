import { resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { now } from '../domain/clock.ts'
import type { Append, Failure, Health, Log, Measure, OutgoingRecord } from '../domain/ports.ts'
import { type Journal, openJournal } from '../journal/journal.ts'
import { type Journaled, journaled } from '../journal/journaled.ts'
import type { KafkaRoom } from '../kafka/kafka.ts'
import { sleep } from '../shared/time.ts'
import type { MainSide } from './http/sides.ts'

export type Intake = {
  readonly publish: MainSide['publish']
  readonly append: Append
  readonly state: Journaled['state']
  readonly health: () => Health
  readonly stop: () => Promise<void>
}

type Deps = {
  readonly kafka: KafkaRoom
  readonly dataDir: string
  readonly maxBytes: number
  readonly measure: Measure
  readonly log: Log
}

/** How long Kafka may take for a record before the journal does; below both interfaces' own budgets. */
const budgetMs = 1000
const processesOnOneMachine = 64

const bytes = (part: string | Buffer | null) => (part === null || typeof part !== 'string' ? part : Buffer.from(part))

/**
 * The first journal below the folder that no other process has: each process of a machine has one of its own. A journal that
 * cannot be opened for another reason may hold events that were answered 200, so it ends the start. Left: what to do.
 */
const openFirst = async ({ dataDir, maxBytes, log }: Deps): Promise<E.Either<string, Journal>> => {
  for (let i = 1; i <= processesOnOneMachine; i++) {
    const dir = resolve(dataDir, 'journal', String(i))
    const opened = await openJournal({ dir, maxBytes, now, log })
    if (E.isRight(opened)) return opened
    if (opened.left.kind === 'permanent')
      return E.left(
        `The journal in ${dir} cannot be opened (${opened.left.reason}). It may hold events that were answered 200. Repair it, ` +
          'or move the folder to another place and keep it, or set DATA_DIR to another folder. Then start again.',
      )
  }
  return E.left(`${processesOnOneMachine} processes use ${dataDir}: set DATA_DIR to another folder.`)
}

const onlyInJournal: E.Either<Failure, void> = E.left({
  kind: 'transient',
  reason: 'the event is kept, and on its way only when Kafka is back',
})

/**
 * Where ingress leaves what it has understood: Kafka, or the journal while Kafka is away. Interface B's client is waiting:
 * that its event is in the journal alone is told as a failure, so that the service does without a bot.
 */
export const openIntake = async (deps: Deps): Promise<E.Either<string, Intake>> => {
  const { kafka, measure, log } = deps
  const opened = await openFirst(deps)
  if (E.isLeft(opened)) return opened
  const keep = kafka.deadLetter('journal')
  const reject = ({ topic, key, value, headers }: OutgoingRecord, reason: string) =>
    keep(
      {
        ...{ topic, partition: 0, offset: 0, timestamp: Date.now(), key: bytes(key), value: bytes(value) },
        headers: Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, Buffer.from(header)])),
      },
      'refused-by-kafka',
      reason,
    )
  const { append, state, health, stop } = journaled({
    ...{ journal: opened.right, append: kafka.append, reject, budgetMs, log, now, sleep },
    random: Math.random,
  })
  return E.right({
    state,
    health,
    stop,
    append: async (record, withinMs) => E.map(() => undefined)(await append(record, withinMs)),
    publish: async (record, { type, source }, withinMs) => {
      const kept = await append(record, withinMs)
      if (E.isLeft(kept)) return kept
      measure.published(type)
      return kept.right === 'journal' && source.endsWith('/bot') ? onlyInJournal : E.right(undefined)
    },
  })
}
