import type { TopicName } from '../../contracts/topics.ts'
import type { KafkaPorts } from '../../src/bridge/kafka/kafka.ts'
import { eventually } from './eventually.ts'
import { withAdmin } from './plain-consumer.ts'

type Place = {
  readonly brokers: ReadonlyArray<string>
  readonly prefix: string
  readonly kafka: Pick<KafkaPorts, 'topicIds'>
}

/** Deletes topics, and waits until the brokers have none or another one of each name: until then they take records. */
export const deleteTopics = async ({ brokers, prefix, kafka }: Place, names: ReadonlyArray<TopicName>) => {
  const before = await kafka.topicIds(names)
  const topics = names.map((name) => prefix + name)
  await withAdmin(brokers, async (admin) => {
    await admin.deleteTopics({ topics })
    await eventually(`${names} to be gone`, async () => {
      const there = await admin.listTopics()
      if (topics.every((topic) => !there.includes(topic))) return true
      // A bridge may have created them again. While one has no id, the question fails.
      const ids = await kafka.topicIds(names).catch(() => before)
      return names.every((name) => ids.get(name) !== before.get(name))
    })
  })
}

/** The same, and waits until somebody has created them again. */
export const recreateTopics = async (place: Place, names: ReadonlyArray<TopicName>) => {
  await deleteTopics(place, names)
  await eventually(`${names} to be there again`, async () => {
    const ids = await place.kafka.topicIds(names).catch(() => new Map<TopicName, string>())
    return names.every((name) => ids.has(name))
  })
}
