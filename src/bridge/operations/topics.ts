import * as E from 'fp-ts/lib/Either.js'
import { audit, eventTopicNames } from '../../../contracts/topics.ts'
import type { KafkaPorts } from '../kafka/kafka.ts'
import type { NewTopic, TopicReport } from '../kafka/topics/settings.ts'
import { optionsOf } from './audit.ts'
import { type Done, operation, type Resources, type Stop, stop } from './operation.ts'

type Ports = Pick<Resources, 'retentionDays' | 'topicPrefix'> & {
  readonly kafka: Pick<KafkaPorts, 'applyTopics' | 'describeTopics' | 'newTopics'>
}

/** Kafka itself never deletes records of event topics. The archiver deletes them after RETENTION_DAYS. */
const withRetention = ({ retentionDays, topicPrefix }: Omit<Ports, 'kafka'>, reports: ReadonlyArray<TopicReport>) => {
  const names = new Set(eventTopicNames.map((name) => `${topicPrefix}${name}`))
  const isTemporary = ({ name, partitions }: TopicReport) =>
    retentionDays !== 'forever' && partitions > 0 && names.has(name)
  return reports.map((report) =>
    isTemporary(report) ? { ...report, cleanUp: `kept ${retentionDays} days, once archived` } : report,
  )
}

type Selected = { readonly apply: boolean; readonly print: boolean; readonly isRecorded: boolean }

/** The topics as they are, or with `--print` as they would be created. */
export type TopicsResult = ReadonlyArray<TopicReport | NewTopic>

const away = ({ reason }: { readonly reason: string }) => `Kafka does not answer: ${reason}`

export const topics = operation({
  name: 'topics',
  summary: 'show the topics with their keys, partitions and clean-up, and how they differ from what the bridge expects',
  options: {
    apply: {
      about: 'create what is missing, and give the topics that exist the settings that they would be created with',
      confirm: 'The settings of topics in Kafka change.',
    },
    print: {
      about: 'print the commands that create the topics, for somebody else to run; asks no broker',
      conflicts: ['apply'],
    },
  },
  json: 'print them as JSON',
  role: 'operator',
  hasForm: true,
  needs: { kafka: true, retentionDays: true, topicPrefix: true },
  select: async (
    { kafka, topicPrefix }: Ports,
    { apply = false, print = false },
  ): Promise<E.Either<Stop, Selected>> => {
    if (!apply) return E.right({ apply, print, isRecorded: false })
    const found = await kafka.describeTopics()
    if (E.isLeft(found)) return stop('unavailable', away(found.left))
    // The first run creates the topic audit, so nothing can be recorded before it.
    const isAudit = ({ name, partitions }: TopicReport) => name === `${topicPrefix}${audit.name}` && partitions > 0
    return E.right({ apply, print, isRecorded: found.right.some(isAudit) })
  },
  action: ({ isRecorded }) =>
    isRecorded ? { action: 'topics', command: 'topics', options: optionsOf({ apply: true }) } : undefined,
  act: async ({ kafka, ...kept }, { apply, print }): Promise<E.Either<Stop, Done<TopicsResult>>> => {
    if (print) return E.right({ code: 0, result: kafka.newTopics })
    const found = await (apply ? kafka.applyTopics() : kafka.describeTopics())
    if (E.isLeft(found)) return stop('unavailable', away(found.left))
    const reports = withRetention(kept, found.right)
    const isAsExpected = reports.every(({ differences }) => differences.length === 0)
    return E.right({ code: isAsExpected ? 0 : 1, result: reports })
  },
})
