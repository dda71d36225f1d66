import type { TopicName } from '../../../../contracts/topics.ts'
import type { CheckHealth } from '../checks.ts'
import type { TopicIds } from './positions.ts'
import type { Slice } from './record.ts'
/** What a handler may do with a partition that its consumer owns. */
export type OwnedPartition = {
  /** False once the partition belongs to another consumer. Then work for it must have no effect any more. */
  readonly isCurrent: () => boolean
  /** Everything up to and including this offset is finished and can be committed (commit `by-handler`). */
  readonly done: (offset: number) => void
  /** Stops fetching from this partition until the returned function is called. */
  readonly pause: () => () => void
}

/** Handles a slice. The consumer calls it again with the same slice until it resolves. A throw means 'redeliver'. */
export type HandleSlice = (slice: Slice, partition: OwnedPartition) => Promise<void>

export type ConsumerSpec = {
  /** The consumer group, after TOPIC_PREFIX. */
  readonly group: string
  /** The group's name gets a random suffix, so this consumer reads all partitions. The group is deleted at the end. */
  readonly alone?: true
  readonly topics: ReadonlyArray<TopicName>
  /**
   * While the broker denies reading one of these, the other topics are read without it. Of any other topic the consumer
   * waits for the permission and reads nothing. Default: none.
   */
  readonly leftOutIfDenied?: ReadonlyArray<TopicName>
  readonly handle: HandleSlice
  /** In ms: so long after a member's death another one has its partitions. Default: 12 s. */
  readonly sessionTimeoutMs?: number
  /** A fetch waits for this many bytes, or for this long. `ms` may be asked before each fetch. Default: 1 byte or 100 ms. */
  readonly fetchWaitsFor?: { readonly bytes: number; readonly ms: number | (() => number) }
  /** When far behind, a slice has up to this many records of 1.4 kB, not 500. Three partitions may do so at once. */
  readonly catchUpRecords?: number
  /** `when-handled`: a slice is committed when `handle` resolves. `by-handler`: when the handler calls `done`. */
  readonly commit: 'when-handled' | 'by-handler'
  /** Called when partitions are assigned to this consumer, before their first slice. */
  readonly onAssigned?: (partitions: ReadonlyArray<number>) => void
  /** Called when reading of a partition begins, before its first slice. An empty partition has no slice. */
  readonly onOwned?: (topic: TopicName, partition: number, owned: OwnedPartition) => void
  /**
   * Returns why these topics must not be read, and what an operator must do. Until it returns undefined, the consumer
   * is not ready and calls it again.
   */
  readonly refuseTopics?: (ids: TopicIds) => Promise<string | undefined>
  /** Asked every ten seconds while it reads: why reading must end. Then `refuseTopics` is called before it goes on. */
  readonly mustEnd?: () => Promise<string | undefined>
  /** The offset at which reading begins, instead of the group's own committed offset. */
  readonly startAt?: (topic: TopicName, partition: number) => Promise<number | undefined>
}

export type RunningConsumer = { readonly health: CheckHealth; readonly stop: () => Promise<void> }

export type Consume = (spec: ConsumerSpec) => Promise<RunningConsumer>
