import * as E from 'fp-ts/lib/Either.js'
import type { TopicName } from '../../../../contracts/topics.ts'
import { type Failure, partitionName } from '../../domain/log/record.ts'
import type { Measure } from '../../domain/metrics.ts'
import type { Log } from '../../shared/log.ts'
import type { Sleep } from '../../shared/time.ts'
import { largestBatch } from '../compression.ts'
import { kafkaReasonOf } from '../errors.ts'
import type { Partitioner } from '../partitions/partitioner.ts'
import type { WireRecord } from '../wire-record.ts'
import { assigner } from './assigner.ts'
import { type Backlog, backlogOf, sizeOf, type Waiting } from './backlog.ts'
import { batchSender } from './batch-sender.ts'
import { brokerRequests } from './broker-requests.ts'
import type { ProduceConnection } from './connection.ts'
import { type Bounds, type Entry, type PartitionQueue, partitionQueue } from './partition-queue.ts'
import { pauses, retriesAlone } from './retries-alone.ts'

export type ProducerLimits = {
  /** The limit of one batch. A larger record gets its own batch, which is compressed. */
  readonly batch: Bounds
  /** The limit of one request, which has batches of several partitions. */
  readonly request: Bounds
  /** The limit of all waiting records of a topic. Records above the limit are refused at once. */
  readonly waiting: Bounds
}

const tooLarge: E.Either<Failure, never> = E.left({
  kind: 'too-large',
  reason: 'larger than 64 MiB, the largest batch that a consumer decompresses',
})

type Producer = {
  /** Right: durable. Left permanent or too-large: never. Left transient: not accepted, or stopped without an answer. */
  readonly send: (record: WireRecord) => Promise<E.Either<Failure, void>>
  readonly waiting: () => Waiting
  /** Refuses new records and sends the waiting ones. Those that are left after so many ms get a transient Left. */
  readonly stop: (withinMs: number) => Promise<void>
}

/**
 * One request at a time to each broker, with all records that wait for it, in the order of the calls. If a batch fails,
 * its partition leaves these requests: the batch is sent again unchanged and alone, each time on a new connection, until
 * the broker acknowledges or refuses it. No record overtakes it in its partition, and no other partition waits for it.
 */
export const producer = ({
  partitioner,
  connect,
  limits,
  sleep,
  random,
  clock,
  log,
  measure,
}: {
  readonly partitioner: Pick<Partitioner, 'ready' | 'partitionOf' | 'forget'>
  readonly connect: () => ProduceConnection
  readonly limits: ProducerLimits
  readonly sleep: Sleep
  readonly random: () => number
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
  readonly log: Log
  readonly measure: Measure
}): Producer => {
  const stopped = new AbortController()
  const { signal } = stopped
  let stopping = false
  const backlog: Backlog = backlogOf({ limits: limits.waiting, clock, log })
  const sender = batchSender(backlog, measure, clock)
  const queues = new Map<string, PartitionQueue>()

  const onFailure = (topic: TopicName, error: unknown) => {
    measure.produceFailed()
    backlog.failed(topic, kafkaReasonOf(error))
  }
  const alone = retriesAlone({ connect, sender, sleep, random, signal, onFailure })
  const onRecovery = (topic: TopicName) => {
    if (!alone.hasTopic(topic)) backlog.recovered(topic)
  }
  const together = brokerRequests({
    connect,
    sender,
    limits: limits.request,
    signal,
    // The partition comes back to these requests when its batch is sent.
    onFailure: (queue, error) => void retryAlone(queue, error),
  })
  const onAssigned = (entry: Entry, partition: number) => {
    const { topic } = entry.record
    const name = partitionName({ topic, partition })
    const queue = queues.get(name) ?? partitionQueue(topic, partition, limits.batch)
    queues.set(name, queue)
    queue.add(entry)
    if (!sender.isUnderWay(queue) && !alone.has(queue)) together.add(queue)
  }
  const { assign, assignLater } = assigner({
    partitioner,
    pause: pauses,
    sleep,
    random,
    signal,
    onAssigned,
    onFailure,
    onRecovery,
  })
  /** The topic was created again with fewer partitions: records of the removed ones get another partition. */
  const reassign = (topic: TopicName) => {
    partitioner.forget(topic)
    const idle = [...queues.values()].filter((queue) => queue.topic === topic && !sender.isUnderWay(queue))
    for (const queue of idle) together.remove(queue)
    assignLater(
      topic,
      idle.flatMap((queue) => queue.clear()),
    )
  }
  const retryAlone = async (queue: PartitionQueue, error: unknown) => {
    const outcome = await alone.retry(queue, error)
    if (outcome === 'missing') reassign(queue.topic)
    onRecovery(queue.topic)
    if (queue.oldest() !== undefined) together.add(queue)
  }

  return {
    send: (record) => {
      if (stopping) return Promise.resolve(E.left({ kind: 'transient', reason: 'stopping' }))
      const bytes = sizeOf(record)
      if (bytes > largestBatch) return Promise.resolve(tooLarge)
      return backlog.take(record, bytes, assign)
    },
    waiting: backlog.waiting,
    stop: async (withinMs) => {
      stopping = true
      const drained = new AbortController()
      backlog.whenEmpty(() => drained.abort())
      await sleep(withinMs, drained.signal)
      stopped.abort()
      backlog.settleAll(E.left({ kind: 'transient', reason: 'stopped before Kafka acknowledged the record' }))
      await together.close()
    },
  }
}
