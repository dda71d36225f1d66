import type { Consumer } from 'kafkajs'
import { partitionName } from '../../domain/log/record.ts'
import type { PartitionReader } from './partition-reader.ts'

/** The times of a consumer's activities, in milliseconds of a monotonic clock. */
export type ConsumerActivity = {
  readonly startedAt: number
  /** Undefined until the consumer has joined its group and knows its start offsets. */
  readonly readyAt: number | undefined
  /** When the group's coordinator last answered this member. */
  readonly contactAt: number
  /** When the oldest unanswered fetch began. If all are answered: when the last one ended. */
  readonly fetchAt: number
  /** The time since which commits fail. Undefined while they succeed. */
  readonly commitFailsSince: number | undefined
}

type ActivityObserver = {
  readonly now: () => Omit<ConsumerActivity, 'commitFailsSince'>
  /** The coordinator has answered. */
  readonly contact: () => void
  /** The consumer waits for an assignment. */
  readonly joining: () => void
  readonly ready: () => void
}

/** Records the times of a kafkajs consumer's events. */
export const observeActivity = (consumer: Consumer, clock: () => number): ActivityObserver => {
  const { HEARTBEAT, FETCH_START, FETCH } = consumer.events
  const unanswered = new Map<number, number>()
  let startedAt = clock()
  let contactAt = startedAt
  let fetchAt = startedAt
  let readyAt: number | undefined

  const contact = () => {
    contactAt = clock()
  }
  consumer.on(HEARTBEAT, contact)
  consumer.on(FETCH_START, ({ payload: { nodeId } }) => void unanswered.set(nodeId, clock()))
  consumer.on(FETCH, ({ payload: { nodeId } }) => {
    unanswered.delete(nodeId)
    fetchAt = clock()
  })
  return {
    now: () => ({ startedAt, readyAt, contactAt, fetchAt: Math.min(fetchAt, ...unanswered.values()) }),
    contact,
    joining: () => {
      startedAt = clock()
      readyAt = undefined
    },
    ready: () => {
      // kafkajs emits no event when a fetch fails or its broker leaves the cluster.
      unanswered.clear()
      fetchAt = clock()
      readyAt = fetchAt
    },
  }
}

/** The coordinator removes a silent member after this time. The member itself stops a little earlier. */
export const sessionTimeoutMs = 12_000
const marginMs = 2_000

export const isMember = ({ contactAt }: ConsumerActivity, now: number, sessionMs = sessionTimeoutMs): boolean =>
  now - contactAt < sessionMs - marginMs

const seconds = (ms: number) => `${Math.round(ms / 1000)} s`
const noContact = (ms: number) => `no answer from the group's coordinator for ${seconds(ms)}`
const noFetch = (ms: number) => `no fetch was answered for ${seconds(ms)}`

/** Why the consumer must be restarted. Undefined if it need not be. */
export const failureOf = (
  activity: ConsumerActivity,
  now: number,
  sessionMs = sessionTimeoutMs,
): string | undefined => {
  if (activity.readyAt === undefined)
    return now - activity.startedAt > 45_000 ? `has not joined within ${seconds(now - activity.startedAt)}` : undefined
  if (!isMember(activity, now, sessionMs)) return noContact(now - activity.contactAt)
  return now - activity.fetchAt > 15_000 ? noFetch(now - activity.fetchAt) : undefined
}

type Handling = Pick<PartitionReader, 'topic' | 'partition' | 'failing' | 'busySince'>

const handlerProblem = (reader: Handling, now: number): string | undefined => {
  const [failing, busySince] = [reader.failing(), reader.busySince()]
  if (failing !== undefined && now - failing.since > 5_000)
    return `${partitionName(reader)}: its handler fails for ${seconds(now - failing.since)} (${failing.error})`
  return busySince !== undefined && now - busySince > 30_000
    ? `${partitionName(reader)}: its handler has not ended for ${seconds(now - busySince)}`
    : undefined
}

/** The problem that has blocked the consumer for some seconds. Undefined if there is none. */
export const unhealthyReason = (
  activity: ConsumerActivity,
  now: number,
  readers: ReadonlyArray<Handling>,
): string | undefined => {
  if (activity.readyAt === undefined) return 'has not joined its group yet'
  if (now - activity.contactAt > 7_000) return noContact(now - activity.contactAt)
  if (now - activity.fetchAt > 7_000) return noFetch(now - activity.fetchAt)
  for (const reader of readers) {
    const problem = handlerProblem(reader, now)
    if (problem !== undefined) return problem
  }
  const failsFor = activity.commitFailsSince === undefined ? 0 : now - activity.commitFailsSince
  return failsFor > 7_000 ? `offsets cannot be committed for ${seconds(failsFor)}` : undefined
}

/** The next offset of a partition that waits for records, and the end of its log. */
type PartitionProgress = { readonly name: string; readonly position: number; readonly end: number }

const stalledAfterMs = 30_000

/**
 * Finds partitions that have records but receive none: kafkajs can get stuck after a rebalance. Each offset is reported
 * only once, since there may be no record after it, only a transaction's marker.
 */
export const stallDetector = (): ((
  partitions: ReadonlyArray<PartitionProgress>,
  now: number,
) => string | undefined) => {
  let behindSince = new Map<string, number>()
  const reported = new Set<string>()
  return (partitions, now) => {
    const behind = partitions
      .filter(({ position, end }) => position < end)
      .map(({ name, position }) => `${name} at ${position}`)
    behindSince = new Map(behind.map((at) => [at, behindSince.get(at) ?? now]))
    const stalled = behind.find((at) => now - (behindSince.get(at) ?? now) >= stalledAfterMs && !reported.has(at))
    if (stalled !== undefined) reported.add(stalled)
    return stalled
  }
}
