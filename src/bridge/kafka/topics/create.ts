import type { Admin, ITopicConfig } from 'kafkajs'
import { copiedTopicOf, type EventTopicName, type Topic, topicOfName } from '../../../../contracts/topics.ts'
import { dayMs, sleep } from '../../shared/time.ts'
import type { Ask } from '../admin.ts'
import { kafkaReasonOf, kindOf } from '../errors.ts'
import { denial } from '../fetch-record.ts'
import { configOf, newTopicOf, type TopicDefaults, type TopicState } from './settings.ts'

export const createWithinMs = 20_000
const ledWithinMs = 10_000

type TopicError = Error & { readonly topic: string }

/** kafkajs reports one error for each topic that was not created. */
const errorsOf = (error: unknown): ReadonlyArray<TopicError> | undefined =>
  error instanceof Error && 'errors' in error && Array.isArray(error.errors) ? error.errors : undefined

/** What kafkajs drops: it only returns false if each topic that was not created exists already. */
const existing = ({ topic }: ITopicConfig): TopicError =>
  Object.assign(new Error('the topic exists'), { topic, type: 'TOPIC_ALREADY_EXISTS' })

/** Why the broker does not create topics, by topic. `validateOnly` creates none. */
const refusalsOf = async (
  admin: Admin,
  topics: ReadonlyArray<ITopicConfig>,
  validateOnly: boolean,
): Promise<ReadonlyMap<string, TopicError>> => {
  if (topics.length === 0) return new Map()
  const request = { topics: [...topics], validateOnly, waitForLeaders: false, timeout: ledWithinMs }
  try {
    const isDone = await admin.createTopics(request)
    return new Map(isDone ? [] : topics.map((topic) => [topic.topic, existing(topic)]))
  } catch (error) {
    const errors = errorsOf(error)
    if (errors === undefined) throw error
    return new Map(errors.map((each) => [each.topic, each]))
  }
}

const ofSettings = new Set(['POLICY_VIOLATION', 'INVALID_CONFIG'])

/**
 * Which settings the rules of the cluster refuse. The broker says so only in words of its own, so each setting is asked
 * for alone; if the topic is refused without any, no setting is the reason.
 */
const refusedSettings = async (
  admin: Admin,
  topics: ReadonlyArray<ITopicConfig>,
): Promise<ReadonlyMap<string, ReadonlyArray<string>>> => {
  const found = new Map<string, ReadonlyArray<string>>()
  const bare = topics.map((topic) => ({ ...topic, configEntries: [] }))
  const withoutAny = await refusalsOf(admin, bare, true)
  const open = topics.filter(({ topic }) => !withoutAny.has(topic))
  const names = new Set(open.flatMap(({ configEntries = [] }) => configEntries.map(({ name }) => name)))
  for (const name of names) {
    const alone = open.map((topic) => ({
      ...topic,
      configEntries: (topic.configEntries ?? []).filter((entry) => entry.name === name),
    }))
    const refused = await refusalsOf(admin, alone, true)
    for (const { topic, configEntries } of alone)
      if (refused.has(topic))
        found.set(topic, [...(found.get(topic) ?? []), ...configEntries.map((entry) => `${entry.name}=${entry.value}`)])
  }
  return found
}

const byHand = '`livechat-bridge topics --print` has the command for whoever may'

type Created = {
  /** The full names of the topics that this call has created. */
  readonly created: ReadonlySet<string>
  /** The reasons of the broker, by topic. A topic that another instance creates at the same time is not refused. */
  readonly refused: ReadonlyMap<string, string>
}

export const nothingCreated: Created = { created: new Set(), refused: new Map() }

/** Creates the missing topics of the bridge, or only asks whether it may. */
export const createMissing = async (
  admin: Admin,
  missing: ReadonlyArray<Topic>,
  defaults: TopicDefaults,
  states: ReadonlyMap<string, TopicState>,
  validateOnly: boolean,
): Promise<Created> => {
  const wanted = missing.map((topic) => {
    const { name, partitions, replication, config } = newTopicOf(topic, defaults)
    const copied = states.get(`${defaults.topicPrefix}${copiedTopicOf(topic.name)}`)
    return {
      topic: name,
      numPartitions: copied?.partitions ?? partitions,
      replicationFactor: replication ?? -1,
      configEntries: Object.entries(config).map(([name, value]) => ({ name, value })),
    }
  })
  const failed = await refusalsOf(admin, wanted, validateOnly)
  const refused = new Map([...failed].filter(([, error]) => kindOf(error) !== 'TOPIC_ALREADY_EXISTS'))
  const byRule = wanted.filter(({ topic }) => ofSettings.has(kindOf(refused.get(topic))))
  const settings = await refusedSettings(admin, byRule)
  const whyRefused = (topic: string, error: TopicError): string => {
    const kind = kindOf(error)
    if (kind === denial) return `${kind}: Kafka's user lacks Create on topics`
    if (!ofSettings.has(kind)) return kafkaReasonOf(error)
    return `${kind}: the cluster refuses ${settings.get(topic)?.join(', ') ?? 'the topic itself'}`
  }
  const reasons = new Map(
    [...refused].map(([topic, error]) => [topic, `${whyRefused(topic, error)} (${byHand})`] as const),
  )
  const created = validateOnly ? [] : wanted.flatMap(({ topic }) => (failed.has(topic) ? [] : [topic]))
  return { created: new Set(created), refused: reasons }
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
