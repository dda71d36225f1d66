import { isDeepStrictEqual } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import kafkajs, { type Admin } from 'kafkajs'
import {
  botConversations,
  botReplies,
  copiedTopicOf,
  eventTopicNames,
  type Topic,
  type TopicName,
  topics,
} from '../../../../contracts/topics.ts'
import type { Failure } from '../../domain/log/record.ts'
import { sleep } from '../../shared/time.ts'
import type { Ask } from '../admin.ts'
import { kafkaReasonOf } from '../errors.ts'
import type { Partitioner } from '../partitions/partitioner.ts'
import { createMissing, createWithinMs, nothingCreated, untilLed } from './create.ts'
import { appliedConfig, reportOf, type TopicDefaults, type TopicReport, type TopicState } from './settings.ts'

export type TopicReports = Promise<E.Either<Failure, ReadonlyArray<TopicReport>>>

type Entry = {
  readonly configName: string
  readonly configValue: string
  readonly configSource?: number
}
const setForTheTopic = 1
const configIn = (entries: ReadonlyArray<Entry>) =>
  Object.fromEntries(entries.map(({ configName, configValue }) => [configName, configValue]))

/** The state of topics by their full names. Those that do not exist are left out. */
const stateOf = async (admin: Admin, names: ReadonlyArray<string>): Promise<ReadonlyMap<string, TopicState>> => {
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

/** Adds partitions to archive topics that have fewer partitions than the topics that they copy. */
const addPartitions = async (admin: Admin, prefix: string, states: ReadonlyMap<string, TopicState>) => {
  const topicPartitions = topics.flatMap(({ name }) => {
    const [has, wanted] = [name, copiedTopicOf(name)].map((each) => states.get(`${prefix}${each}`)?.partitions ?? 0)
    return has && wanted && has < wanted ? [{ topic: `${prefix}${name}`, count: wanted }] : []
  })
  if (topicPartitions.length > 0) await admin.createPartitions({ topicPartitions })
}

/** `validate`: asks whether the missing topics could be created, and creates none. */
type Missing = 'create' | 'validate' | 'leave'

const reports = async (ask: Ask, defaults: TopicDefaults, missingOnes: Missing): TopicReports => {
  const createsMissing = missingOnes === 'create'
  const nameOf = ({ name }: Topic) => `${defaults.topicPrefix}${name}`
  try {
    return await ask(async (admin) => {
      const present = new Set(await admin.listTopics())
      const missing = topics.filter((topic) => !present.has(nameOf(topic)))
      const before = await stateOf(
        admin,
        topics.map(nameOf).filter((name) => present.has(name)),
      )
      const { created, refused } =
        missingOnes === 'leave'
          ? nothingCreated
          : await createMissing(admin, missing, defaults, before, !createsMissing)
      if (createsMissing) await addPartitions(admin, defaults.topicPrefix, before)
      const added = createsMissing ? missing.map(nameOf).filter((name) => !refused.has(name)) : []
      await untilLed(admin, added)
      const expected = [...present, ...added].filter((name) => topics.some((topic) => nameOf(topic) === name))
      const states = await stateOf(admin, expected)
      return E.right(
        topics.map((topic) => {
          const name = nameOf(topic)
          const { partitions = defaults.partitions } =
            states.get(`${defaults.topicPrefix}${copiedTopicOf(topic.name)}`) ?? {}
          return reportOf(topic, { ...defaults, partitions }, states.get(name), created.has(name), refused.get(name))
        }),
      )
    }, createWithinMs)
  } catch (error) {
    return E.left({ kind: 'transient', reason: kafkaReasonOf(error) })
  }
}

/** Creates the bridge's missing topics and reports all. Existing topics are unchanged, but archives get partitions. */
export const ensureTopics = (ask: Ask, defaults: TopicDefaults): TopicReports => reports(ask, defaults, 'create')

/** Reports the state of the bridge's topics, and changes nothing. */
export const describeTopics = (ask: Ask, defaults: TopicDefaults): TopicReports => reports(ask, defaults, 'leave')

/** The same, and for a missing topic why it could not be created. */
export const validateTopics = (ask: Ask, defaults: TopicDefaults): TopicReports => reports(ask, defaults, 'validate')

const shownWithinMs = 2_000

/**
 * Creates the missing topics, gives the existing topics the settings of a new topic, and reports the state after that.
 * The broker resets every setting that an alteration does not name. So all other settings are read first, and named.
 */
export const applyTopics = async (ask: Ask, defaults: TopicDefaults): TopicReports => {
  const before = await ensureTopics(ask, defaults)
  if (E.isLeft(before)) return before
  const nameOf = ({ name }: Topic) => `${defaults.topicPrefix}${name}`
  const old = before.right.filter(({ partitions, differences }) => partitions > 0 && differences.length > 0)
  const differing = topics.filter((topic) => old.some(({ name }) => name === nameOf(topic)))
  try {
    await ask(async (admin) => {
      const states = await stateOf(admin, differing.map(nameOf))
      const resources = differing.flatMap((topic) => {
        const state = states.get(nameOf(topic))
        if (state === undefined) return []
        const entries = Object.entries(appliedConfig(topic, state)).map(([name, value]) => ({ name, value }))
        return [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: nameOf(topic), configEntries: entries }]
      })
      if (resources.length > 0) await admin.alterConfigs({ validateOnly: false, resources })
    }, createWithinMs)
  } catch (error) {
    return E.left({ kind: 'transient', reason: kafkaReasonOf(error) })
  }
  // A broker that has accepted new settings may return the old ones of some topics for a moment.
  for (const until = performance.now() + shownWithinMs; ; await sleep(100)) {
    const after = await describeTopics(ask, defaults)
    const isShown =
      E.isLeft(after) || !after.right.some((report) => old.some((each) => isDeepStrictEqual(each, report)))
    if (isShown || performance.now() > until) return after
  }
}

const ordersKeys = new Set<TopicName>(eventTopicNames)

const keyDifferencesOf = (topic: TopicName, partitions: number, { known }: Pick<Partitioner, 'known'>) => {
  const distribution = known(topic)
  const conversations = known(botConversations.name)?.keyPartitions ?? 0
  if (topic === botReplies.name)
    return partitions < conversations
      ? [`fewer partitions than the ${conversations} of bot-conversations: commands are not fenced`]
      : []
  if (distribution === undefined || !ordersKeys.has(topic)) return []
  if (distribution.mixed) return ['partitions were added and keys have moved: the record order of older chats is lost']
  return distribution.keyPartitions < partitions
    ? [`keys use the first ${distribution.keyPartitions} partitions only; partitions added later stay empty`]
    : []
}

/** Adds differences of the key distribution to the reports. Left if the distribution cannot be detected. */
export const withKeyDistribution = async (
  asked: TopicReports,
  partitioner: Pick<Partitioner, 'ready' | 'known' | 'forget'>,
  prefix: string,
): TopicReports => {
  const reports = await asked
  if (E.isLeft(reports)) return reports
  const nameOf = ({ name }: TopicReport) => name.slice(prefix.length) as TopicName
  const present = reports.right.filter(({ partitions }) => partitions > 0)
  for (const report of present)
    if (partitioner.known(nameOf(report))?.partitions !== report.partitions) partitioner.forget(nameOf(report))
  try {
    await partitioner.ready(present.map(nameOf).filter((topic) => ordersKeys.has(topic)))
  } catch (error) {
    return E.left({ kind: 'transient', reason: kafkaReasonOf(error) })
  }
  return E.right(
    reports.right.map((report) =>
      report.partitions === 0
        ? report
        : {
            ...report,
            differences: [...report.differences, ...keyDifferencesOf(nameOf(report), report.partitions, partitioner)],
          },
    ),
  )
}
