import type { BatchSender } from './batch-sender.ts'
import { noLeader, type ProduceConnection } from './connection.ts'
import { nextRequests } from './next-requests.ts'
import type { Bounds, PartitionQueue } from './partition-queue.ts'
import { type SharedConnection, sharedConnection } from './shared-connection.ts'

type Deps = {
  readonly connect: () => ProduceConnection
  readonly sender: Pick<BatchSender, 'attempt' | 'conclude'>
  /** The limit of one request. */
  readonly limits: Bounds
  /** Aborts at the stop. */
  readonly signal: AbortSignal
  /** Called if the batch of a partition must be sent again. The partition has left the shared requests. */
  readonly onFailure: (queue: PartitionQueue, error: unknown) => void
}

/** One request at a time to each broker, with the next batches of all partitions that wait for it. */
export const brokerRequests = ({ connect, sender, limits, signal, onFailure }: Deps) => {
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
