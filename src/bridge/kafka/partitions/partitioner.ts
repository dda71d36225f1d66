import { botConversations, botReplies, type TopicName } from '../../../../contracts/topics.ts'
import type { Log } from '../../shared/log.ts'
import { type KeyDistribution, murmur2 } from './key-distribution.ts'

/** Decides the partition of each record as Java's client does, but does not move keys when partitions are added. */
export type Partitioner = {
  /** Resolves when the topics' partitions are known. Rejects if they cannot be detected now. */
  readonly ready: (topics: Iterable<TopicName>) => Promise<void>
  /** Undefined if the topic is not known yet, or does not have the wanted partition. */
  readonly partitionOf: (topic: TopicName, key: Buffer | null, wanted?: number) => number | undefined
  readonly known: (topic: TopicName) => KeyDistribution | undefined
  /** The topic's partitions have changed, and must be detected again. */
  readonly forget: (topic: TopicName) => void
}

/** The topics whose partitions must be known for a record. A command has the partition number of its conversation. */
const neededFor = (topic: TopicName): ReadonlyArray<TopicName> =>
  topic === botReplies.name ? [topic, botConversations.name] : [topic]

/** Detects each topic's key distribution once, and again after `forget`. */
export const partitionerOf = ({
  detect,
  log,
}: {
  readonly detect: (topic: TopicName) => Promise<KeyDistribution>
  readonly log: Log
}): Partitioner => {
  const known = new Map<TopicName, KeyDistribution>()
  const detecting = new Map<TopicName, Promise<void>>()
  let withoutKey = 0

  const find = async (topic: TopicName) => {
    const distribution = await detect(topic)
    known.set(topic, distribution)
    const { keyPartitions, partitions, mixed } = distribution
    if (keyPartitions < partitions)
      log.warn(
        { topic, keyPartitions, partitions },
        'kafka: partitions were added; keys use the earlier partitions only',
      )
    if (mixed)
      log.warn(
        { topic, partitions },
        'kafka: partitions were added and keys have moved: the record order of older chats is lost',
      )
  }
  const once = (topic: TopicName): Promise<void> => {
    const underWay = detecting.get(topic) ?? find(topic).finally(() => detecting.delete(topic))
    detecting.set(topic, underWay)
    return underWay
  }
  const numberOfPartitions = (topic: TopicName) => {
    const own = known.get(topic)
    const ofKeys = known.get(neededFor(topic).at(-1) ?? topic)
    if (own === undefined || ofKeys === undefined) return undefined
    return { all: own.partitions, forKeys: Math.min(ofKeys.keyPartitions, own.partitions) }
  }
  return {
    ready: async (topics) => {
      const needed = new Set([...topics].flatMap(neededFor))
      await Promise.all([...needed].filter((topic) => !known.has(topic)).map(once))
    },
    partitionOf: (topic, key, wanted) => {
      const partitions = numberOfPartitions(topic)
      if (partitions === undefined) return undefined
      if (wanted !== undefined) return wanted < partitions.all ? wanted : undefined
      return key === null ? withoutKey++ % partitions.all : murmur2(key) % partitions.forKeys
    },
    known: (topic) => known.get(topic),
    forget: (topic) => void known.delete(topic),
  }
}
