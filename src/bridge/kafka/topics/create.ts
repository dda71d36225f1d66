import type { Admin } from 'kafkajs'
import { copiedTopicOf, type EventTopicName, type Topic, topicOfName } from '../../../../contracts/topics.ts'
import { dayMs, sleep } from '../../shared/time.ts'
import type { Ask } from '../admin.ts'
import { kafkaReasonOf, kindOf } from '../errors.ts'
import { configOf, type TopicDefaults, type TopicState } from './settings.ts'

export const createWithinMs = 20_000
const ledWithinMs = 10_000

type TopicError = Error & { readonly topic: string }

/** kafkajs reports one error for each topic that was not created. */
const errorsOf = (error: unknown): ReadonlyArray<TopicError> | undefined =>
  error instanceof Error && 'errors' in error && Array.isArray(error.errors) ? error.errors : undefined

/** Creates the missing topics of the bridge. Returns the reasons, by topic, if the broker refuses. */
export const createMissing = async (
  admin: Admin,
  missing: ReadonlyArray<Topic>,
  { topicPrefix, partitions, replication }: TopicDefaults,
  states: ReadonlyMap<string, TopicState>,
): Promise<ReadonlyMap<string, string>> => {
  if (missing.length === 0) return new Map()
  const wanted = missing.map((topic) => ({
    topic: `${topicPrefix}${topic.name}`,
    numPartitions: states.get(`${topicPrefix}${copiedTopicOf(topic.name)}`)?.partitions ?? partitions,
    replicationFactor: replication ?? -1,
    configEntries: Object.entries(configOf(topic, replication)).map(([name, value]) => ({ name, value })),
  }))
  try {
    await admin.createTopics({ topics: wanted, waitForLeaders: false, timeout: ledWithinMs })
    return new Map()
  } catch (error) {
    const errors = errorsOf(error)
    if (errors === undefined) throw error
    // Another instance may create the same topics at the same time.
    const refused = errors.filter((each) => kindOf(each) !== 'TOPIC_ALREADY_EXISTS')
    return new Map(refused.map((each) => [each.topic, kafkaReasonOf(each)]))
  }
}

/** Whether each partition has a leader that answers. Metadata shows a new leader a little before it is ready. */
const areLed = async (admin: Admin, names: ReadonlyArray<string>): Promise<boolean> => {
  try {
    const { topics: found } = await admin.fetchTopicMetadata({ topics: [...names] })
    await Promise.all(names.map((name) => admin.fetchTopicOffsets(name)))
    return found.every(({ partitions }) => partitions.length > 0 && partitions.every(({ leader }) => leader >= 0))
  } catch {
    return false
  }
}

export const untilLed = async (admin: Admin, names: ReadonlyArray<string>): Promise<void> => {
  const end = performance.now() + ledWithinMs
  while (names.length > 0 && !(await areLed(admin, names)) && performance.now() < end) await sleep(50)
}

/** Creates an extra topic, by its full name, for records of an event topic. False if the topic exists already. */
export const createTopicOf =
  (ask: Ask, { replication }: TopicDefaults) =>
  (topic: string, like: EventTopicName, numPartitions: number, retentionDays: number): Promise<boolean> =>
    ask(async (admin) => {
      const model = topicOfName(like)
      if (model === undefined) throw new Error(`${like} is no topic`)
      const cleanUp = { deleteAfterMs: retentionDays * dayMs }
      const entries = Object.entries(configOf({ ...model, cleanUp }, replication))
      const configEntries = entries.map(([name, value]) => ({ name, value }))
      const created = await admin.createTopics({
        topics: [{ topic, numPartitions, replicationFactor: replication ?? -1, configEntries }],
        waitForLeaders: false,
        timeout: ledWithinMs,
      })
      if (created) await untilLed(admin, [topic])
      return created
    }, createWithinMs)

/** Deletes topics by their full names. Topics that do not exist are left out. */
export const deleteTopicsOf =
  (ask: Ask) =>
  (topics: ReadonlyArray<string>): Promise<void> =>
    ask(async (admin) => {
      const present = new Set(await admin.listTopics())
      const found = topics.filter((topic) => present.has(topic))
      if (found.length > 0) await admin.deleteTopics({ topics: found, timeout: ledWithinMs })
    }, createWithinMs)
