import type { TopicName } from '../../../../contracts/topics.ts'
import { backoff } from '../../shared/backoff.ts'
import { semaphore } from '../../shared/semaphore.ts'
import type { Sleep } from '../../shared/time.ts'
import type { BatchSender } from './batch-sender.ts'
import { noLeader, type ProduceConnection } from './connection.ts'
import type { PartitionQueue } from './partition-queue.ts'

export const pauses = { baseMs: 50, capMs: 1_000 }
const retriesAtOnce = 16

/**
 * The partitions whose last batch failed. Each is sent alone, for each attempt on a new connection, until the broker
 * acknowledges or refuses its batch.
 */
export const retriesAlone = ({
  connect,
  sender,
  sleep,
  random,
  signal,
  onFailure,
}: {
  readonly connect: () => ProduceConnection
  readonly sender: Pick<BatchSender, 'attempt' | 'conclude'>
  readonly sleep: Sleep
  readonly random: () => number
  /** Aborts at the stop. */
  readonly signal: AbortSignal
  readonly onFailure: (topic: TopicName, error: unknown) => void
}) => {
  const retrying = new Set<PartitionQueue>()
  const permit = semaphore(retriesAtOnce)

  /** The error of the batch, if it must be sent again. */
  const attempt = async (queue: PartitionQueue): Promise<{ readonly error: unknown } | 'sent' | 'missing'> => {
    const { topic, partition } = queue
    using _permit = await permit(signal)
    if (signal.aborted || queue.oldest() === undefined) return 'sent'
    const connection = connect()
    try {
      await connection.prepare(topic)
      if (!connection.has(topic, partition)) return 'missing'
      const leader = connection.leaderOf(topic, partition)
      const [error] = leader === undefined ? [noLeader()] : await sender.attempt(connection, leader, [queue])
      return sender.conclude(queue, error) ? 'sent' : { error }
    } catch (error) {
      return { error }
    } finally {
      void connection.close()
    }
  }
  /**
   * `sent`: the partition can be sent together with others again, or this process stops. `missing`: the topic no longer
   * has the partition.
   */
  const retry = async (queue: PartitionQueue, first: unknown): Promise<'sent' | 'missing'> => {
    retrying.add(queue)
    let error = first
    for (let failures = 1; !signal.aborted; failures++) {
      onFailure(queue.topic, error)
      await sleep(backoff(failures, pauses, random), signal)
      const outcome = await attempt(queue)
      if (typeof outcome === 'string') {
        retrying.delete(queue)
        return outcome
      }
      error = outcome.error
    }
    retrying.delete(queue)
    return 'sent'
  }
  return {
    retry,
    has: (queue: PartitionQueue): boolean => retrying.has(queue),
    hasTopic: (topic: TopicName): boolean => [...retrying].some((queue) => queue.topic === topic),
  }
}
