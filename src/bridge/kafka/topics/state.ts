import kafkajs, { type Admin } from 'kafkajs'
import type { TopicState } from './settings.ts'

type Entry = {
  readonly configName: string
  readonly configValue: string
  readonly configSource?: number
}
const setForTheTopic = 1
const configIn = (entries: ReadonlyArray<Entry>) =>
  Object.fromEntries(entries.map(({ configName, configValue }) => [configName, configValue]))

/** The state of topics by their full names. Those that do not exist are left out. */
export const stateOf = async (admin: Admin, names: ReadonlyArray<string>): Promise<ReadonlyMap<string, TopicState>> => {
  if (names.length === 0) return new Map()
  const { topics: found } = await admin.fetchTopicMetadata({ topics: [...names] })
  const { brokers } = await admin.describeCluster()
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: names.map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name })),
  })
  const configs = new Map<string, ReadonlyArray<Entry>>(
    resources.map(({ resourceName, configEntries }) => [resourceName, configEntries]),
  )
  return new Map(
    found.map(({ name, partitions }) => {
      const entries = configs.get(name) ?? []
      return [
        name,
        {
          partitions: partitions.length,
          brokers: brokers.length,
          config: configIn(entries),
          ownConfig: configIn(entries.filter(({ configSource }) => configSource === setForTheTopic)),
          replication: partitions[0]?.replicas.length ?? 0,
        },
      ]
    }),
  )
}
