import type { TopicName } from '../../../../contracts/topics.ts'
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
