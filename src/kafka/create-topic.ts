import { type EventTopic, topicOfName } from '../../contracts/topics.ts'
import type { Ask } from './admin.ts'
import { configOf, type TopicDefaults } from './topic-settings.ts'
import { createWithinMs, ledWithinMs, untilLed } from './topics.ts'

const dayMs = 24 * 60 * 60 * 1000

/** Creates an extra topic, by its full name, for records of an event topic. False if the topic exists already. */
export const createTopicOf =
  (ask: Ask, { replication }: TopicDefaults) =>
  (topic: string, like: EventTopic['name'], numPartitions: number, retentionDays: number): Promise<boolean> =>
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
