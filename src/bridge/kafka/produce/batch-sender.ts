import * as E from 'fp-ts/lib/Either.js'
import type { Measure } from '../../domain/metrics.ts'
import { isIdentityLost, refusalOf } from '../errors.ts'
import type { Backlog } from './backlog.ts'
import type { ProduceConnection } from './connection.ts'
import type { PartitionQueue, SizedBatch } from './partition-queue.ts'

export type BatchSender = ReturnType<typeof batchSender>

/** Sends the next batches of partitions in one request, and settles the records whose outcome is then known. */
export const batchSender = (backlog: Pick<Backlog, 'settle'>, measure: Measure, clock: () => number) => {
  const underWay = new Set<PartitionQueue>()

  /** Settles the records that the broker has acknowledged or refused. False if the batch must be sent again. */
  const conclude = (queue: PartitionQueue, error: unknown): boolean => {
    if (error === undefined) {
      backlog.settle(queue.acknowledged(), E.right(undefined))
      return true
    }
    const refusal = refusalOf(error)
    if (refusal !== undefined) {
      const entry = queue.refused()
      if (entry !== undefined) backlog.settle([entry], E.left(refusal))
      return true
    }
    if (isIdentityLost(error)) queue.forgetIdentity()
    return false
  }
  /** Sends the next batch of each queue. Returns each queue's error: undefined if its batch is durable. */
  const attempt = async (connection: ProduceConnection, leader: number, group: ReadonlyArray<PartitionQueue>) => {
    const began = clock()
    for (const queue of group) underWay.add(queue)
    try {
      const unknown = group.filter((queue) => queue.needsIdentity())
      await Promise.all(unknown.map(async (queue) => queue.identify(await connection.newProducerId(leader))))
      const batches = group.map((queue) => queue.begin())
      const errors = await connection.produce(leader, batches)
      const durable = batches.filter((_, i) => errors[i] === undefined)
      const sum = (of: (batch: SizedBatch) => number) => durable.reduce((total, batch) => total + of(batch), 0)
      if (durable.length > 0)
        measure.produced(
          sum(({ records }) => records.length),
          sum(({ bytes }) => bytes),
          (clock() - began) / 1000,
        )
      return errors
    } catch (error) {
      return group.map(() => error)
    } finally {
      for (const queue of group) underWay.delete(queue)
    }
  }
  return { attempt, conclude, isUnderWay: (queue: PartitionQueue): boolean => underWay.has(queue) }
}
