import * as E from 'fp-ts/lib/Either.js'
import type { Failure, IncomingRecord } from '../../domain/log/record.ts'
import type { Sleep } from '../../shared/time.ts'
import { allHeaders, type WireRecord } from '../wire-record.ts'
import type { Partitioner } from './partitioner.ts'

/**
 * Appends a record again if its partition is not that of its key's conversation. True when it is durable in the right
 * partition. False if the caller must process it where it is: the partition is right, the record has no key, it was
 * rerouted before, or Kafka refuses it. Undefined if this process stops before the result is known.
 */
export type Reroute = (record: IncomingRecord) => Promise<boolean | undefined>

/** The header that prevents a loop when instances disagree about the partition of a record. */
const rerouted = 'rerouted'
const againAfterMs = 500

export const rerouteWith =
  (
    {
      send,
      partitioner,
      sleep,
    }: {
      /** A transient Left is retried. */
      readonly send: (record: WireRecord) => Promise<E.Either<Failure, void>>
      readonly partitioner: Pick<Partitioner, 'ready' | 'partitionOf'>
      readonly sleep: Sleep
    },
    isStopping: () => boolean,
  ): Reroute =>
  async (record) => {
    const { topic, key, value, partition, headers } = record
    if (key === null || headers[rerouted] !== undefined) return false
    const attempt = async (): Promise<boolean | undefined> => {
      await partitioner.ready([topic])
      const to = partitioner.partitionOf(topic, key)
      if (to === undefined || to === partition) return false
      const sent = await send({ topic, key, value, headers: { ...allHeaders(record), [rerouted]: '1' } })
      if (E.isRight(sent)) return true
      return sent.left.kind === 'transient' ? undefined : false
    }
    for (;;) {
      const outcome = await attempt().catch(() => undefined)
      if (outcome !== undefined || isStopping()) return outcome
      await sleep(againAfterMs)
    }
  }
