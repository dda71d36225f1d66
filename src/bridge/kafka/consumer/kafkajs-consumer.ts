import { AssignerProtocol, type Consumer, type Kafka, type PartitionAssigner } from 'kafkajs'
import type { ConsumerSpec } from '../../domain/log/consumer.ts'
import { sessionTimeoutMs as defaultSessionTimeoutMs } from './health.ts'

/** The partitions that are assigned to one member, by topic. */
export type Assignment = Readonly<Record<string, ReadonlyArray<number>>>

/**
 * Assigns partition p of every topic to the same member, so that one member reads all topics of a key. Members are
 * sorted by their ids, and partition numbers are assigned round-robin.
 */
export const coPartitioned = (
  members: ReadonlyArray<string>,
  topics: ReadonlyMap<string, ReadonlyArray<number>>,
): ReadonlyMap<string, Assignment> => {
  const sorted = [...members].sort()
  const shareOf = (index: number): Assignment =>
    Object.fromEntries(
      [...topics].map(([topic, partitions]) => [topic, partitions.filter((p) => p % sorted.length === index)]),
    )
  return new Map(sorted.map((member, index) => [member, shareOf(index)]))
}

const name = 'livechat-co-partitioned'
const version = 1
const userData = Buffer.alloc(0)
const { MemberAssignment, MemberMetadata } = AssignerProtocol

const coPartitionedAssigner: PartitionAssigner = ({ cluster }) => ({
  name,
  version,
  protocol: ({ topics }) => ({ name, metadata: MemberMetadata.encode({ version, topics, userData }) }),
  assign: async ({ members, topics }) => {
    const partitions = topics.map((topic) => {
      const found = cluster.findTopicPartitionMetadata(topic)
      return [topic, found.map(({ partitionId }) => partitionId)] as const
    })
    const shares = coPartitioned(
      members.map(({ memberId }) => memberId),
      new Map(partitions),
    )
    return [...shares].map(([memberId, share]) => ({
      memberId,
      memberAssignment: MemberAssignment.encode({
        version,
        assignment: Object.fromEntries(Object.entries(share).map(([topic, numbers]) => [topic, [...numbers]])),
        userData,
      }),
    }))
  },
})

/** A consumer that does not commit and does not restart by itself. */
export const consumerOf = (
  kafka: Kafka,
  groupId: string,
  {
    fetchWaitsFor: waitsFor,
    sessionTimeoutMs = defaultSessionTimeoutMs,
  }: Pick<ConsumerSpec, 'fetchWaitsFor' | 'sessionTimeoutMs'>,
): Consumer =>
  kafka.consumer({
    groupId,
    partitionAssigners: [coPartitionedAssigner],
    sessionTimeout: sessionTimeoutMs,
    rebalanceTimeout: 20_000,
    // How soon a member detects a rebalance. All other members wait for it.
    heartbeatInterval: 1_000,
    // Short, since a resumed partition is not fetched before the next request.
    // A function passes through kafkajs unread: kafkajs-patches/fetch.ts asks it before each fetch.
    maxWaitTimeInMs: (waitsFor?.ms ?? 100) as number,
    minBytes: waitsFor?.bytes ?? 1,
    // How soon added partitions are read; kafkajs's default is five minutes.
    metadataMaxAge: 10_000,
    // A little more than the producer's largest request. A larger batch is fetched when its partition is the first of a
    // fetch response.
    maxBytesPerPartition: 1_280 * 1024,
    maxBytes: 5 * 1024 * 1024,
    allowAutoTopicCreation: false,
    retry: { retries: 2, restartOnFailure: async () => false },
  })
