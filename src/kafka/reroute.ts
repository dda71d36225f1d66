import * as E from 'fp-ts/lib/Either.js'
import type { Failure, IncomingRecord, Sleep } from '../domain/ports.ts'
import type { Partitioner } from './partitioner/partitioner.ts'
import { allHeaders, type WireRecord } from './wire-record.ts'

/**
 * Appends a record again that stands in another partition than its key's conversation, so that it is read where that is known:
 * true when it is durable there. False where it is to be handled as it stands: in its place, without a key, or rerouted already.
 * Undefined when the room stops before that is known.
 */
export type Reroute = (record: IncomingRecord) => Promise<boolean | undefined>

type Deps = {
  /** Left transient is tried again. */
  readonly append: (record: WireRecord) => Promise<E.Either<Failure, void>>
  readonly partitioner: Pick<Partitioner, 'ready' | 'partitionOf'>
  readonly sleep: Sleep
}

/** Instances that do not agree on where a record belongs must not send it back and forth. */
const rerouted = 'rerouted'
const againAfterMs = 500

export const rerouteWith =
  ({ append, partitioner, sleep }: Deps, isStopping: () => boolean): Reroute =>
  async (record) => {
    const { topic, key, value, partition, headers } = record
    if (key === null || headers[rerouted] !== undefined) return false
    const attempt = async (): Promise<boolean | undefined> => {
      await partitioner.ready([topic])
      const to = partitioner.partitionOf(topic, key)
      if (to === undefined || to === partition) return false
      const appended = await append({ topic, key, value, headers: { ...allHeaders(record), [rerouted]: '1' } })
      if (E.isRight(appended)) return true
      return appended.left.kind === 'transient' ? undefined : false
    }
    for (;;) {
      const outcome = await attempt().catch(() => undefined)
      if (outcome !== undefined || isStopping()) return outcome
      await sleep(againAfterMs)
    }
  }
