import type { TopicName } from '../../../../contracts/topics.ts'
import { backoff } from '../../shared/backoff.ts'
import { semaphore } from '../../shared/semaphore.ts'
import type { Sleep } from '../../shared/time.ts'
import type { BatchSender } from './batch-sender.ts'
import { noLeader, type ProduceConnection } from './connection.ts'
import type { PartitionQueue } from './partition-queue.ts'

type Deps = {
  readonly connect: () => ProduceConnection
  readonly sender: Pick<BatchSender, 'attempt' | 'conclude'>
  readonly sleep: Sleep
  readonly random: () => number
  /** Aborts at the stop. */
  readonly signal: AbortSignal
  readonly onFailure: (topic: TopicName, error: unknown) => void
  /** Called if the topic no longer has the partition. */
  readonly onMissing: (topic: TopicName) => void
  readonly onEnd: (queue: PartitionQueue) => void
}

export const pauses = { baseMs: 50, capMs: 1_000 }
const retriesAtOnce = 16

/**
 * The partitions whose last batch failed. Each is sent alone, for each attempt on a new connection, until the broker
 * acknowledges or refuses its batch.
 */
export const retriesAlone = (deps: Deps) => {
  const { connect, sender, sleep, random, signal, onFailure, onMissing, onEnd } = deps
  const retrying = new Set<PartitionQueue>()
  const permit = semaphore(retriesAtOnce)

  const attemptRetry = async (queue: PartitionQueue): Promise<unknown> => {
    const { topic, partition } = queue
    using _permit = await permit(signal)
    if (signal.aborted || queue.oldest() === undefined) return undefined
    const connection = connect()
    try {
      await connection.prepare(topic)
      if (!connection.has(topic, partition)) return onMissing(topic)
      const leader = connection.leaderOf(topic, partition)
      const [error] = leader === undefined ? [noLeader()] : await sender.attempt(connection, leader, [queue])
      return sender.conclude(queue, error) ? undefined : error
    } catch (error) {
      return error
    } finally {
      void connection.close()
    }
  }
  /** Resolves when the queue can be sent together with others again, or at the stop. */
  const retry = async (queue: PartitionQueue, first: unknown): Promise<void> => {
    retrying.add(queue)
    let error: unknown = first
    for (let failures = 1; error !== undefined && !signal.aborted; failures++) {
      onFailure(queue.topic, error)
      await sleep(backoff(failures, pauses, random), signal)
      error = await attemptRetry(queue)
    }
    retrying.delete(queue)
    onEnd(queue)
  }
  return {
    retry,
    has: (queue: PartitionQueue): boolean => retrying.has(queue),
    hasTopic: (topic: TopicName): boolean => [...retrying].some((queue) => queue.topic === topic),
  }
}
