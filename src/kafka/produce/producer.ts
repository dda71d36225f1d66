import * as E from 'fp-ts/lib/Either.js'
import type { TopicName } from '../../../contracts/topics.ts'
import type { Failure, Log, Measure, Sleep } from '../../domain/ports.ts'
import { reasonOf } from '../errors.ts'
import type { Partitioner } from '../partitions/partitioner.ts'
import type { WireRecord } from '../wire-record.ts'
import { assigner } from './assigner.ts'
import { type Backlog, backlogOf, sizeOf, type Waiting } from './backlog.ts'
import { batchSender } from './batch-sender.ts'
import { noLeader, type ProduceConnection } from './connection.ts'
import { type Bounds, type Entry, firstOf, type PartitionQueue, partitionQueue } from './partition-queue.ts'
import { pauses, retriesAlone } from './retries-alone.ts'

export type ProducerLimits = {
  /** The limit of one batch. A larger record gets its own batch, which is compressed. */
  readonly batch: Bounds
  /** The limit of one request, which has batches of several partitions. */
  readonly request: Bounds
  /** The limit of all waiting records of a topic. Records above the limit are refused at once. */
  readonly waiting: Bounds
}

type Deps = {
  readonly partitioner: Pick<Partitioner, 'ready' | 'partitionOf' | 'forget'>
  readonly connect: () => ProduceConnection
  readonly limits: ProducerLimits
  readonly sleep: Sleep
  readonly random: () => number
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
  readonly log: Log
  readonly measure: Pick<Measure, 'produced' | 'produceFailed'>
}

type Producer = {
  /** Right: durable. Left permanent or too-large: never. Left transient: not accepted, or stopped without an answer. */
  readonly append: (record: WireRecord) => Promise<E.Either<Failure, void>>
  readonly waiting: () => Waiting
  /** Refuses new records and sends the waiting ones. Those that are left after so many ms get a transient Left. */
  readonly stop: (withinMs: number) => Promise<void>
}

/** The connection of all partitions that are not retried. */
type Shared = {
  readonly connection: ProduceConnection
  readonly prepared: Map<TopicName, boolean>
  /** Brokers that have not answered yet. */
  readonly busy: Set<number>
}

/**
 * Group commit: one request at a time to each broker, with all records that wait for it, in the order of the calls. If
 * a batch fails, its partition leaves the group: the batch is sent again unchanged and alone, each time on a new
 * connection, until the broker acknowledges or refuses it. No record overtakes it in its partition, and no other
 * partition waits for it.
 */
export const producer = (deps: Deps): Producer => {
  const { partitioner, connect, limits, sleep, random, clock, log, measure } = deps
  const backlog: Backlog = backlogOf({ limits: limits.waiting, clock, log })
  const sender = batchSender({ backlog, clock, measure })
  const queues = new Map<string, PartitionQueue>()
  /** Queues with records for the next request. */
  const due = new Set<PartitionQueue>()
  const stopped = new AbortController()
  let shared: Shared | undefined
  let isScheduled = false
  let stopping = false

  const failed = (topic: TopicName, error: unknown) => {
    measure.produceFailed()
    backlog.failed(topic, reasonOf(error))
  }
  const enqueue = (entry: Entry, partition: number) => {
    const { topic } = entry.record
    const name = `${topic}/${partition}`
    const queue = queues.get(name) ?? partitionQueue(topic, partition, limits.batch)
    queues.set(name, queue)
    queue.add(entry)
    if (!sender.isUnderWay(queue) && !retries.has(queue)) due.add(queue)
    schedule()
  }
  const recovered = (topic: TopicName) => {
    if (!retries.hasTopic(topic)) backlog.recovered(topic)
  }
  const { assign, assignLater } = assigner({
    partitioner,
    pause: pauses,
    sleep,
    random,
    signal: stopped.signal,
    onAssigned: enqueue,
    onFailure: failed,
    onRecovery: recovered,
  })
  /** The topic was created again with fewer partitions: records of the removed ones get another partition. */
  const reassign = (topic: TopicName) => {
    partitioner.forget(topic)
    const idle = [...queues.values()].filter((queue) => queue.topic === topic && !sender.isUnderWay(queue))
    for (const queue of idle) due.delete(queue)
    assignLater(
      topic,
      idle.flatMap((queue) => queue.clear()),
    )
  }

  const retries = retriesAlone({
    connect,
    sender,
    sleep,
    random,
    signal: stopped.signal,
    onFailure: failed,
    onMissing: (topic) => reassign(topic),
    onEnd: (queue) => {
      recovered(queue.topic)
      if (queue.oldest() !== undefined) due.add(queue)
      schedule()
    },
  })
  const retryAlone = (queue: PartitionQueue, error: unknown) => {
    due.delete(queue)
    void retries.retry(queue, error)
  }

  /** Stops using the connection for new requests. It is closed when the brokers have answered the last requests. */
  const retire = (old: Shared) => {
    if (shared === old) shared = undefined
    if (old.busy.size === 0) void old.connection.close()
    schedule()
  }
  const prepare = (on: Shared, topic: TopicName) => {
    if (on.prepared.has(topic)) return
    on.prepared.set(topic, false)
    on.connection.prepare(topic).then(
      () => {
        on.prepared.set(topic, true)
        schedule()
      },
      (error: unknown) => {
        on.prepared.delete(topic)
        for (const queue of due) if (queue.topic === topic) retryAlone(queue, error)
        retire(on)
      },
    )
  }
  const sendTo = async (on: Shared, leader: number, group: ReadonlyArray<PartitionQueue>) => {
    on.busy.add(leader)
    const errors = await sender.attempt(on.connection, leader, group)
    on.busy.delete(leader)
    const failing = group.filter((queue, i) => !sender.conclude(queue, errors[i]))
    for (const queue of group)
      if (failing.includes(queue)) retryAlone(queue, errors[group.indexOf(queue)])
      else if (queue.oldest() !== undefined) due.add(queue)
    if (failing.length > 0 || shared !== on) retire(on)
    schedule()
  }
  const flush = () => {
    isScheduled = false
    if (stopped.signal.aborted || due.size === 0) return
    shared ??= { connection: connect(), prepared: new Map(), busy: new Set() }
    const on = shared
    const groups = new Map<number, PartitionQueue[]>()
    let isStale = false
    for (const queue of due) {
      const { topic, partition } = queue
      prepare(on, topic)
      if (on.prepared.get(topic) !== true) continue
      const leader = on.connection.leaderOf(topic, partition)
      if (leader === undefined) retryAlone(queue, noLeader())
      else if (!on.busy.has(leader)) groups.set(leader, [...(groups.get(leader) ?? []), queue])
      isStale ||= leader === undefined
    }
    for (const [leader, queues] of groups) {
      const group = firstOf(queues, limits.request)
      for (const queue of group) due.delete(queue)
      void sendTo(on, leader, group)
    }
    if (isStale) retire(on)
  }
  /** Records that are appended in the same turn of the event loop go in the same request. */
  const schedule = () => {
    if (!isScheduled) queueMicrotask(flush)
    isScheduled = true
  }

  return {
    append: (record) => {
      if (stopping) return Promise.resolve(E.left({ kind: 'transient', reason: 'stopping' }))
      return backlog.take(record, sizeOf(record), assign)
    },
    waiting: backlog.waiting,
    stop: async (withinMs) => {
      stopping = true
      const drained = new AbortController()
      backlog.whenEmpty(() => drained.abort())
      await sleep(withinMs, drained.signal)
      stopped.abort()
      backlog.settleAll(E.left({ kind: 'transient', reason: 'stopped before Kafka acknowledged the record' }))
      await shared?.connection.close()
    },
  }
}
