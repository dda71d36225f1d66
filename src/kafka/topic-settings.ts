import { type CleanUp, deadLetters, type Topic } from '../../contracts/topics.ts'
import type { KafkaSettings } from './client.ts'

export type TopicDefaults = Pick<KafkaSettings, 'topicPrefix' | 'partitions' | 'replication'>

/** A topic as the broker has it; `config` by Kafka's names. */
export type TopicState = {
  readonly partitions: number
  readonly replication: number
  readonly config: Readonly<Record<string, string>>
}

/** A topic of the bridge and what the broker has of it; each difference is a clause that people read. */
export type TopicReport = {
  readonly name: string
  readonly key: string
  /** 0 where there is no such topic. */
  readonly partitions: number
  readonly replication: number
  readonly cleanUp: string
  readonly created: boolean
  readonly differences: ReadonlyArray<string>
}

const mebibyte = 1024 * 1024
const dayMs = 24 * 60 * 60 * 1000

/** The largest record that a topic takes, in bytes; a dead letter is an original of any topic with headers added. */
export const largestRecord = (name: Topic['name']): number => (name === deadLetters.name ? 5 : 4) * mebibyte

const cleanUpConfig = (cleanUp: CleanUp): Readonly<Record<string, string>> =>
  cleanUp === 'compact'
    ? { 'cleanup.policy': 'compact' }
    : {
        'cleanup.policy': 'delete',
        'retention.ms': String(cleanUp === 'forever' ? -1 : cleanUp.deleteAfterMs),
        // A cluster's default bound in bytes would delete what shall be kept.
        'retention.bytes': '-1',
      }

/** What a topic is created with. */
export const configOf = (
  { name, cleanUp }: Topic,
  replication: number | undefined,
): Readonly<Record<string, string>> => ({
  ...cleanUpConfig(cleanUp),
  'max.message.bytes': String(largestRecord(name)),
  ...(replication !== undefined && replication >= 3 && { 'min.insync.replicas': '2' }),
})

const cleanUpText = (config: TopicState['config']): string => {
  const { 'cleanup.policy': policy = 'unknown', 'retention.ms': retention = '' } = config
  if (policy !== 'delete') return policy
  return retention === '-1' ? 'kept for ever' : `${Number(retention) / dayMs} days`
}

const differencesOf = (topic: Topic, defaults: TopicDefaults, state: TopicState): ReadonlyArray<string> => {
  const replication = defaults.replication ?? state.replication
  const wanted: ReadonlyArray<readonly [what: string, is: unknown, wanted: unknown]> = [
    ['partitions', state.partitions, defaults.partitions],
    ['replication', state.replication, replication],
    ...Object.entries(configOf(topic, defaults.replication)).map(
      ([name, value]) => [name, state.config[name], value] as const,
    ),
  ]
  return wanted.flatMap(([what, is, should]) => (is === should ? [] : [`${what} is ${is ?? 'unknown'}, not ${should}`]))
}

export const reportOf = (
  topic: Topic,
  defaults: TopicDefaults,
  state: TopicState | undefined,
  created: boolean,
): TopicReport => ({
  name: `${defaults.topicPrefix}${topic.name}`,
  key: topic.key,
  partitions: state?.partitions ?? 0,
  replication: state?.replication ?? 0,
  cleanUp: state === undefined ? '' : cleanUpText(state.config),
  created,
  differences: state === undefined ? ['does not exist'] : differencesOf(topic, defaults, state),
})
