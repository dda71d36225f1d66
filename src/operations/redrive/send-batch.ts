import * as E from 'fp-ts/lib/Either.js'
import type { IncomingRecord, Now } from '../../domain/ports.ts'
import type { KafkaRoom } from '../../kafka/kafka.ts'
import type { Redrives } from '../../mongo/redrives.ts'
import type { Fate } from './fate.ts'
import { type Letter, memoryIdOf } from './letter.ts'

/** A letter that is to be sent back; `redriven` counts with this time. */
export type Chosen = { readonly record: IncomingRecord; readonly letter: Letter; readonly redriven: number }

export type BatchPorts = Pick<KafkaRoom, 'redrive'> & { readonly redrives: Redrives; readonly now: Now }

/** What became of each, and what else forbids to go on, if anything does. */
export type BatchSent = {
  readonly fates: ReadonlyArray<{ readonly letter: Letter; readonly fate: Fate; readonly why?: string }>
  readonly trouble?: string
}

const withinMs = 20_000

/** Sends letters back in their order, and remembers those that Kafka has. */
export const sendBatch = async (
  { redrive, redrives, now }: BatchPorts,
  batch: ReadonlyArray<Chosen>,
): Promise<BatchSent> => {
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
