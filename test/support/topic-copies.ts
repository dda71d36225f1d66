import kafkajs from 'kafkajs'
import { enrichments, type TopicName } from '../../contracts/topics.ts'
import type { IncomingRecord } from '../../src/bridge/domain/log/record.ts'
import { eventually } from './eventually.ts'
import { plainClient, readTopics, withAdmin } from './plain-consumer.ts'

type Place = { readonly brokers: ReadonlyArray<string>; readonly prefix: string }

/** The records of topics, as a copy on another cluster has them. */
export type TopicCopy = ReadonlyArray<IncomingRecord>

export const copyTopics = async ({ brokers, prefix }: Place, names: ReadonlyArray<TopicName>): Promise<TopicCopy> => {
  const { records, unread } = await readTopics(brokers, prefix, names)
  if (unread !== undefined) throw new Error(`${names} cannot be copied: ${unread}`)
  return records
}

/** The topic keeps the timestamps of records. `topics --apply` ends this. */
const keepTimestamps = ({ brokers, prefix }: Place, topic: TopicName) =>
  withAdmin(brokers, async (admin) => {
    // The request replaces all settings of the topic.
    const configEntries = [
      { name: 'cleanup.policy', value: 'compact' },
      { name: 'message.timestamp.type', value: 'CreateTime' },
    ]
    const resource = { type: kafkajs.ConfigResourceTypes.TOPIC, name: prefix + topic, configEntries }
    await admin.alterConfigs({ validateOnly: false, resources: [resource] })
  })

/** Kafka's answer for a record that has kept its own timestamp. */
const notAppendTime = '-1'

/** Appends the records to the topics of these names, as the guide says it: with the timestamps of enrichments. */
export const copyBack = async (place: Place, copy: TopicCopy): Promise<void> => {
  const { brokers, prefix } = place
  if (copy.some(({ topic }) => topic === enrichments.name)) await keepTimestamps(place, enrichments.name)
  const producer = plainClient(brokers).producer()
  await producer.connect()
  for (const [topic, records] of Map.groupBy(copy, (record) => record.topic)) {
    const messages = records.map(({ partition, key, value, headers, timestamp }) => ({
      partition,
      key,
      value,
      headers: { ...headers },
      timestamp: `${timestamp}`,
    }))
    // The controller takes a setting before the broker obeys it, so the first try may still get other timestamps.
    await eventually(`${topic} with the timestamps of its copy`, async () => {
      const written = await producer.send({ topic: prefix + topic, acks: -1, messages })
      return topic !== enrichments.name || written.every(({ logAppendTime }) => logAppendTime === notAppendTime)
    })
  }
  await producer.disconnect()
}

/** Kafka loses every topic and every group of the prefix. */
export const loseKafka = ({ brokers, prefix }: Place): Promise<void> =>
  withAdmin(brokers, async (admin) => {
    const { groups } = await admin.listGroups()
    await admin.deleteGroups(groups.flatMap(({ groupId }) => (groupId.startsWith(prefix) ? [groupId] : [])))
    await admin.deleteTopics({ topics: (await admin.listTopics()).filter((topic) => topic.startsWith(prefix)) })
  })
