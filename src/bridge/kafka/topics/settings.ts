import { type CleanUp, keys, type Topic } from '../../../../contracts/topics.ts'
import { dayMs } from '../../shared/time.ts'
import type { KafkaSettings } from '../client.ts'

export type TopicDefaults = Pick<KafkaSettings, 'topicPrefix' | 'partitions' | 'replication'>

/** A topic's state in the broker. `config` has Kafka's names. */
export type TopicState = {
  readonly partitions: number
  readonly replication: number
  /** The number of brokers in the cluster. */
  readonly brokers: number
  readonly config: Readonly<Record<string, string>>
  /** The part of `config` that was set for this topic. */
  readonly ownConfig: Readonly<Record<string, string>>
}

/** A topic of the bridge and its state in the broker. Each difference is a clause for operators. */
export type TopicReport = {
  readonly name: string
  readonly key: string
  /** 0 if the topic does not exist. */
  readonly partitions: number
  readonly replication: number
  readonly cleanUp: string
  readonly created: boolean
  readonly differences: ReadonlyArray<string>
  /** Why the topic is missing: the broker's reason not to create it. */
  readonly refused?: string
}

const minimumInSync = 'min.insync.replicas'
const largestBytes = 'max.message.bytes'
const mebibyte = 1024 * 1024

const cleanUpConfig = (cleanUp: CleanUp): Readonly<Record<string, string>> =>
  cleanUp === 'compact'
    ? {
        'cleanup.policy': 'compact',
        // Removed records must be gone from the disk within days, since an erasure removes enrichments.
        'max.compaction.lag.ms': String(dayMs),
        'delete.retention.ms': String(dayMs),
      }
    : {
        'cleanup.policy': 'delete',
        'retention.ms': String(cleanUp === 'forever' ? -1 : cleanUp.deleteAfterMs),
        // A default size limit of the cluster would delete records that must be kept.
        'retention.bytes': '-1',
      }

/** The settings of a new topic. */
export const configOf = (
  { content, largestMiB, cleanUp }: Pick<Topic, 'content' | 'largestMiB' | 'cleanUp'>,
  replication: number | undefined,
): Readonly<Record<string, string>> => ({
  ...cleanUpConfig(cleanUp),
  // Records are deleted by whole segments. With larger segments they would stay longer.
  ...(content.kind === 'events' && { 'segment.ms': String(dayMs) }),
  [largestBytes]: String(largestMiB * mebibyte),
  // The broker sets the timestamps, so that a wrong clock of a process has no effect.
  'message.timestamp.type': 'LogAppendTime',
  ...(replication !== undefined && replication >= 3 && { [minimumInSync]: '2' }),
})

/** A topic as the bridge creates it. Without `replication` the cluster decides. */
export type NewTopic = {
  readonly name: string
  readonly partitions: number
  readonly replication?: number
  readonly config: Readonly<Record<string, string>>
}

export const newTopicOf = (topic: Topic, { topicPrefix, partitions, replication }: TopicDefaults): NewTopic => ({
  name: `${topicPrefix}${topic.name}`,
  partitions,
  ...(replication !== undefined && { replication }),
  config: configOf(topic, replication),
})

/** The settings for which more than the bridge needs is as good. */
const atLeast: ReadonlySet<string> = new Set([minimumInSync, largestBytes])
const isEnough = (name: string, is: unknown, wanted: unknown): boolean =>
  is === wanted || (atLeast.has(name) && Number(is) > Number(wanted))

/** The settings for an existing topic: those of a new topic, and its own settings that the bridge does not define. */
export const appliedConfig = (topic: Topic, { replication, ownConfig }: TopicState): TopicState['config'] => {
  const wanted = Object.entries(configOf(topic, replication))
  return {
    ...ownConfig,
    ...Object.fromEntries(wanted.filter(([name, value]) => !isEnough(name, ownConfig[name], value))),
  }
}

const cleanUpText = (config: TopicState['config']): string => {
  const { 'cleanup.policy': policy = 'unknown', 'retention.ms': retention = '' } = config
  if (policy === 'compact') return 'newest of each key kept'
  if (policy !== 'delete') return policy
  if (retention === '-1') return 'kept for ever'
  const days = Number(retention) / dayMs
  return `kept ${days} ${days === 1 ? 'day' : 'days'}`
}

const timestampType = 'message.timestamp.type'
const afterMaxMs = 'message.timestamp.after.max.ms'
const beforeMaxMs = 'message.timestamp.before.max.ms'
/** Brokers before 4.0 have one limit for both. */
const differenceMaxMs = 'message.timestamp.difference.max.ms'

/** The default for the past: 2^63 - 1. */
const noLimit = '9223372036854775807'

const withUnit = (ms: string) => (/^[0-9]{1,15}$/.test(ms) ? `${Number(ms) / 1000} s` : ms)

/** How far a producer's clock may be wrong before Kafka refuses its records for good. Empty if the broker sets times. */
const clockLimits = (config: TopicState['config']): ReadonlyArray<string> => {
  if (config[timestampType] === 'LogAppendTime') return []
  const both = config[differenceMaxMs]
  const { [afterMaxMs]: after = both, [beforeMaxMs]: before = both } = config
  const limits = [
    [after, 'fast', afterMaxMs],
    [before, 'slow', beforeMaxMs],
  ] as const
  return limits.flatMap(([ms, how, name]) =>
    ms === undefined || ms === noLimit ? [] : [`${withUnit(ms)} ${how} (${name})`],
  )
}

/** What of the topic's settings will make Kafka refuse records for good. */
const refusalsOf = ({ config, replication }: TopicState): ReadonlyArray<string> => {
  const limits = clockLimits(config)
  const inSync = Number(config[minimumInSync] ?? 1)
  return [
    ...(limits.length > 0
      ? [`records are refused for good while a clock of the bridge is more than ${limits.join(' or ')}`]
      : []),
    ...(inSync > replication
      ? [`${minimumInSync} is ${inSync} with replication ${replication}: no record is accepted`]
      : []),
  ]
}

const effectOf = (setting: string) => (setting === largestBytes ? ': larger records are refused' : '')

const differencesOf = (topic: Topic, defaults: TopicDefaults, state: TopicState): ReadonlyArray<string> => {
  const replication = defaults.replication ?? state.replication
  const wanted: ReadonlyArray<readonly [what: string, is: unknown, wanted: unknown]> = [
    ['partitions', state.partitions, defaults.partitions],
    ['replication', state.replication, replication],
    ...Object.entries(configOf(topic, undefined)).map(([name, value]) => [name, state.config[name], value] as const),
  ]
  const inSync = Number(state.config[minimumInSync] ?? 1)
  const isRisky = state.brokers >= 3 && inSync < 2
  return [
    ...wanted.flatMap(([what, is, should]) =>
      isEnough(what, is, should) ? [] : [`${what} is ${is ?? 'unknown'}, not ${should}${effectOf(what)}`],
    ),
    ...refusalsOf(state),
    ...(isRisky ? [`${minimumInSync} is ${inSync}, not 2: the loss of one broker may lose acknowledged records`] : []),
  ]
}

export const reportOf = (
  topic: Topic,
  defaults: TopicDefaults,
  state: TopicState | undefined,
  created: boolean,
  whyMissing?: string,
): TopicReport => ({
  name: `${defaults.topicPrefix}${topic.name}`,
  key: keys[topic.key],
  partitions: state?.partitions ?? 0,
  replication: state?.replication ?? 0,
  cleanUp: state === undefined ? '' : cleanUpText(state.config),
  created,
  differences:
    state === undefined
      ? [whyMissing === undefined ? 'does not exist' : `does not exist and cannot be created: ${whyMissing}`]
      : differencesOf(topic, defaults, state),
  ...(whyMissing !== undefined && { refused: whyMissing }),
})
