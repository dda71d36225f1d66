import { botConversations, botReplies, eventTopics, type TopicName } from '../../../contracts/topics.ts'
import type { Log } from '../../domain/ports.ts'
import { hashOf } from './hash.ts'
import type { Spread } from './spread.ts'

type Deps = { readonly learn: (topic: TopicName) => Promise<Spread>; readonly log: Log }

/** Where the keys of the topics go whose order counts; of other topics, nothing is known. */
export type Spreads = {
  /** Resolves when the topics' spreads are known; rejects while they cannot be found out. */
  readonly ready: (topics: Iterable<TopicName>) => Promise<void>
  /** The partition of a key, in a topic that is ready and has so many partitions now; throws where they are too few. */
  readonly partitionOf: (topic: TopicName, key: Buffer, partitions: number) => number | undefined
  readonly known: (topic: TopicName) => Spread | undefined
}

const kept: ReadonlySet<TopicName> = new Set(eventTopics.map(({ name }) => name))
// Commands meet their conversation in the partition of the same number, whatever number of partitions their own topic has.
const decisive = (topic: TopicName): TopicName => (topic === botReplies.name ? botConversations.name : topic)

/** Learns each topic's spread once, and again where the number of its partitions turns out to be another one. */
export const spreadsOf = ({ learn, log }: Deps): Spreads => {
  const known = new Map<TopicName, Spread>()
  const learning = new Map<TopicName, Promise<void>>()

  const find = async (topic: TopicName) => {
    const spread = await learn(topic)
    const before = known.get(topic)
    known.set(topic, spread)
    const { over, of, mixed } = spread
    if (before?.over === over && before.of === of) return
    if (over < of)
      log.warn({ topic, over, of }, 'kafka: partitions were added, keys stay on those that were there before')
    if (mixed)
      log.warn({ topic, of }, 'kafka: keys are not where their number of partitions puts them: order is not sure')
  }
  const once = (topic: TopicName): Promise<void> => {
    const under = learning.get(topic) ?? find(topic).finally(() => learning.delete(topic))
    learning.set(topic, under)
    return under
  }
  return {
    ready: async (topics) => {
      const wanted = new Set([...topics].map(decisive).filter((topic) => kept.has(topic) && !known.has(topic)))
      await Promise.all([...wanted].map(once))
    },
    partitionOf: (topic, key, partitions) => {
      const spread = known.get(decisive(topic))
      if (spread === undefined) return undefined
      if (spread.over <= partitions) {
        if (decisive(topic) === topic && partitions > spread.of) once(topic).catch(() => undefined)
        return hashOf(key) % spread.over
      }
      if (decisive(topic) !== topic) return undefined
      // The topic was made anew, or the producer does not know of all partitions yet: a fresh one does.
      known.delete(topic)
      throw new Error(`${topic} has fewer partitions than before`)
    },
    known: (topic) => known.get(decisive(topic)),
  }
}
