import type { TopicName } from '../../../../contracts/topics.ts'
import type { BatchSender } from './batch-sender.ts'
import { noLeader, type ProduceConnection } from './connection.ts'
import type { Bounds, PartitionQueue } from './partition-queue.ts'

/** What the shared connection knows of brokers. */
export type Brokers = {
  /** Whether the leaders of the topic's partitions are known. */
  readonly isPrepared: (topic: TopicName) => boolean
  readonly leaderOf: (topic: TopicName, partition: number) => number | undefined
  /** Whether the broker has not answered its last request yet. */
  readonly isBusy: (leader: number) => boolean
}

type Queue = Pick<PartitionQueue, 'topic' | 'partition' | 'size'>

type NextRequests<Q> = {
  /** By broker, the partitions whose next batches are sent to it now. */
  readonly requests: ReadonlyMap<number, ReadonlyArray<Q>>
  readonly leaderless: ReadonlyArray<Q>
}

/** The first queues whose batches fit into one request, at least one. */
const firstOf = <Q extends Queue>(queues: ReadonlyArray<Q>, limits: Bounds): ReadonlyArray<Q> => {
  let [records, bytes] = [0, 0]
  const end = queues.findIndex((queue, i) => {
    const size = queue.size()
    records += size.records
    bytes += size.bytes
    return i > 0 && (records > limits.records || bytes > limits.bytes)
  })
  return end < 0 ? queues : queues.slice(0, end)
}

/** One request to each broker that is not busy. Partitions whose leaders are not known yet wait. */
export const nextRequests = <Q extends Queue>(
  due: Iterable<Q>,
  { isPrepared, leaderOf, isBusy }: Brokers,
  limits: Bounds,
): NextRequests<Q> => {
  const byLeader = new Map<number, Q[]>()
  const leaderless: Q[] = []
  for (const queue of due) {
    if (!isPrepared(queue.topic)) continue
    const leader = leaderOf(queue.topic, queue.partition)
    if (leader === undefined) leaderless.push(queue)
    else if (!isBusy(leader)) byLeader.set(leader, [...(byLeader.get(leader) ?? []), queue])
  }
  const requests = new Map([...byLeader].map(([leader, queues]) => [leader, firstOf(queues, limits)]))
  return { requests, leaderless }
}

type SharedConnection = Brokers & {
  /** Gets to know the leaders of the topic's partitions, unless it does so already. */
  readonly prepare: (topic: TopicName) => void
  /** The broker is busy until `send` resolves. */
  readonly use: <A>(leader: number, send: (connection: ProduceConnection) => Promise<A>) => Promise<A>
  readonly closeIfIdle: () => void
  readonly close: () => Promise<void>
}

/** The connection of all partitions that are not retried alone. */
const sharedConnection = (
  connection: ProduceConnection,
  on: { readonly prepared: () => void; readonly unprepared: (topic: TopicName, error: unknown) => void },
): SharedConnection => {
  const prepared = new Map<TopicName, boolean>()
  const busy = new Set<number>()
  return {
    isPrepared: (topic) => prepared.get(topic) === true,
    leaderOf: connection.leaderOf,
    isBusy: (leader) => busy.has(leader),
    prepare: (topic) => {
      if (prepared.has(topic)) return
      prepared.set(topic, false)
      connection.prepare(topic).then(
        () => {
          prepared.set(topic, true)
          on.prepared()
        },
        (error: unknown) => {
          prepared.delete(topic)
          on.unprepared(topic, error)
        },
      )
    },
    use: async (leader, send) => {
      busy.add(leader)
      try {
        return await send(connection)
      } finally {
        busy.delete(leader)
      }
    },
    closeIfIdle: () => {
      if (busy.size === 0) void connection.close()
    },
    close: connection.close,
  }
}

/** One request at a time to each broker, with the next batches of all partitions that wait for it. */
export const brokerRequests = ({
  connect,
  sender,
  limits,
  signal,
  onFailure,
}: {
  readonly connect: () => ProduceConnection
  readonly sender: Pick<BatchSender, 'attempt' | 'conclude'>
  /** The limit of one request. */
  readonly limits: Bounds
  /** Aborts at the stop. */
  readonly signal: AbortSignal
  /** Called if the batch of a partition must be sent again. The partition has left the shared requests. */
  readonly onFailure: (queue: PartitionQueue, error: unknown) => void
}) => {
  const due = new Set<PartitionQueue>()
  let shared: SharedConnection | undefined
  let isScheduled = false

  /** Records that are appended in the same turn of the event loop go in the same request. */
  const schedule = () => {
    if (!isScheduled) queueMicrotask(flush)
    isScheduled = true
  }
  const leave = (queue: PartitionQueue, error: unknown) => {
    due.delete(queue)
    onFailure(queue, error)
  }
  /** Stops using the connection for new requests. It is closed when the brokers have answered the last requests. */
  const retire = (old: SharedConnection) => {
    if (shared === old) shared = undefined
    old.closeIfIdle()
    schedule()
  }
  const share = (): SharedConnection => {
    const made = sharedConnection(connect(), {
      prepared: schedule,
      unprepared: (topic, error) => {
        for (const queue of due) if (queue.topic === topic) leave(queue, error)
        retire(made)
      },
    })
    return made
  }
  const sendTo = async (on: SharedConnection, leader: number, group: ReadonlyArray<PartitionQueue>) => {
    for (const queue of group) due.delete(queue)
    const errors = await on.use(leader, (connection) => sender.attempt(connection, leader, group))
    const failing = group.filter((queue, i) => !sender.conclude(queue, errors[i]))
    for (const queue of group)
      if (failing.includes(queue)) leave(queue, errors[group.indexOf(queue)])
      else if (queue.oldest() !== undefined) due.add(queue)
    if (failing.length > 0 || shared !== on) retire(on)
    schedule()
  }
  const flush = () => {
    isScheduled = false
    if (signal.aborted || due.size === 0) return
    shared ??= share()
    const on = shared
    for (const { topic } of due) on.prepare(topic)
    const { requests, leaderless } = nextRequests(due, on, limits)
    for (const queue of leaderless) leave(queue, noLeader())
    for (const [leader, group] of requests) void sendTo(on, leader, group)
    if (leaderless.length > 0) retire(on)
  }
  return {
    /** The partition has records for the next request. */
    add: (queue: PartitionQueue): void => {
      due.add(queue)
      schedule()
    },
    remove: (queue: PartitionQueue): void => void due.delete(queue),
    close: async (): Promise<void> => shared?.close(),
  }
}
