import { AssignerProtocol, type PartitionAssigner } from 'kafkajs'

/** Topics with their partitions, as one member has them. */
export type Assignment = Readonly<Record<string, ReadonlyArray<number>>>

/**
 * Gives partition p of every topic to the same member: topics that share a key share their reader. Members are taken in the
 * order of their ids and partitions in turns, so that no member has more than one partition number more than another.
 */
export const coPartitioned = (
  members: ReadonlyArray<string>,
  topics: ReadonlyMap<string, ReadonlyArray<number>>,
): ReadonlyMap<string, Assignment> => {
  const sorted = [...members].sort()
  const shareOf = (place: number): Assignment =>
    Object.fromEntries(
      [...topics].map(([topic, partitions]) => [topic, partitions.filter((p) => p % sorted.length === place)]),
    )
  return new Map(sorted.map((member, place) => [member, shareOf(place)]))
}

const name = 'livechat-co-partitioned'
const version = 1
const userData = Buffer.alloc(0)
const { MemberAssignment, MemberMetadata } = AssignerProtocol

export const coPartitionedAssigner: PartitionAssigner = ({ cluster }) => ({
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
