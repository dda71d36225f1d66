import * as E from 'fp-ts/lib/Either.js'
import kafkajs, { type Admin } from 'kafkajs'
import { type Topic, topics } from '../../contracts/topics.ts'
import type { Failure } from '../domain/ports.ts'
import { sleep } from '../shared/time.ts'
import type { Ask } from './admin.ts'
import { kindOf, reasonOf } from './errors.ts'
import { configOf, reportOf, type TopicDefaults, type TopicReport, type TopicState } from './topic-settings.ts'

export type TopicReports = Promise<E.Either<Failure, ReadonlyArray<TopicReport>>>

const createWithinMs = 20_000
const ledWithinMs = 10_000

const isThere = (error: unknown): boolean =>
  error instanceof Error && 'errors' in error && Array.isArray(error.errors)
    ? error.errors.every(isThere)
    : kindOf(error) === 'TOPIC_ALREADY_EXISTS'

const create = async (admin: Admin, missing: ReadonlyArray<Topic>, defaults: TopicDefaults): Promise<void> => {
  const { topicPrefix, partitions, replication } = defaults
  if (missing.length === 0) return
  const wanted = missing.map((topic) => ({
    topic: `${topicPrefix}${topic.name}`,
    numPartitions: partitions,
    replicationFactor: replication ?? -1,
    configEntries: Object.entries(configOf(topic, replication)).map(([name, value]) => ({ name, value })),
  }))
  await admin.createTopics({ topics: wanted, waitForLeaders: false, timeout: ledWithinMs }).catch((error: unknown) => {
    // Another instance creates them at the same time.
    if (!isThere(error)) throw error
  })
}

/** Whether each partition has a leader that knows of it: it is announced a little earlier. */
const areLed = async (admin: Admin, names: ReadonlyArray<string>): Promise<boolean> => {
  try {
    const { topics: found } = await admin.fetchTopicMetadata({ topics: [...names] })
    await Promise.all(names.map((name) => admin.fetchTopicOffsets(name)))
    return found.every(({ partitions }) => partitions.length > 0 && partitions.every(({ leader }) => leader >= 0))
  } catch {
    return false
  }
}

const untilLed = async (admin: Admin, names: ReadonlyArray<string>): Promise<void> => {
  const end = performance.now() + ledWithinMs
  while (names.length > 0 && !(await areLed(admin, names)) && performance.now() < end) await sleep(50)
}

const stateOf = async (admin: Admin, names: ReadonlyArray<string>): Promise<ReadonlyMap<string, TopicState>> => {
  if (names.length === 0) return new Map()
  const { topics: found } = await admin.fetchTopicMetadata({ topics: [...names] })
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: names.map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name })),
  })
  const configs = new Map(resources.map(({ resourceName, configEntries }) => [resourceName, configEntries]))
  return new Map(
    found.map(({ name, partitions }) => {
      const entries = (configs.get(name) ?? []).map(({ configName, configValue }) => [configName, configValue])
      const replication = partitions[0]?.replicas.length ?? 0
      return [name, { partitions: partitions.length, replication, config: Object.fromEntries(entries) }]
    }),
  )
}

const reports = async (ask: Ask, defaults: TopicDefaults, createsMissing: boolean): TopicReports => {
  const nameOf = ({ name }: Topic) => `${defaults.topicPrefix}${name}`
  try {
    return await ask(async (admin) => {
      const present = new Set(await admin.listTopics())
      const missing = topics.filter((topic) => !present.has(nameOf(topic)))
      if (createsMissing) {
        await create(admin, missing, defaults)
        await untilLed(admin, missing.map(nameOf))
      }
      const expected = createsMissing ? topics : topics.filter((topic) => !missing.includes(topic))
      const states = await stateOf(admin, expected.map(nameOf))
      return E.right(
        topics.map((topic) =>
          reportOf(topic, defaults, states.get(nameOf(topic)), createsMissing && missing.includes(topic)),
        ),
      )
    }, createWithinMs)
  } catch (error) {
    return E.left({ kind: 'transient', reason: reasonOf(error) })
  }
}

/** Creates the bridge's topics that are missing, and reports how each is. A topic that exists is never changed. */
export const ensureTopics = (ask: Ask, defaults: TopicDefaults): TopicReports => reports(ask, defaults, true)

/** Reports how the bridge's topics are, and changes nothing. */
export const describeTopics = (ask: Ask, defaults: TopicDefaults): TopicReports => reports(ask, defaults, false)
