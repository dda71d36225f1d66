import * as E from 'fp-ts/lib/Either.js'
import { eventTopics } from '../../contracts/topics.ts'
import type { KafkaPorts } from '../kafka/kafka.ts'
import type { TopicReport } from '../kafka/topic-settings.ts'
import { table } from '../shared/table.ts'
import { type Done, operation, type Resources } from './operation.ts'

type Ports = Pick<Resources, 'retentionDays' | 'topicPrefix'> & {
  readonly kafka: Pick<KafkaPorts, 'applyTopics' | 'describeTopics'>
}

/** Kafka itself never deletes records of event topics. The archiver deletes them after RETENTION_DAYS. */
const withRetention = ({ retentionDays, topicPrefix }: Omit<Ports, 'kafka'>, reports: ReadonlyArray<TopicReport>) => {
  const names = new Set(eventTopics.map(({ name }) => `${topicPrefix}${name}`))
  const isTemporary = ({ name, partitions }: TopicReport) =>
    retentionDays !== 'forever' && partitions > 0 && names.has(name)
  return reports.map((report) =>
    isTemporary(report) ? { ...report, cleanUp: `kept ${retentionDays} days, once archived` } : report,
  )
}

/** A line for each topic, with its differences below it. */
const linesOf = (reports: ReadonlyArray<TopicReport>): ReadonlyArray<string> => {
  const rows = reports.map(({ name, key, partitions, replication, cleanUp }) => [
    name,
    key,
    `${partitions} partitions`,
    `replication ${replication}`,
    cleanUp,
  ])
  return table(rows).flatMap((line, i) => [
    line,
    ...(reports[i]?.differences ?? []).map((difference) => `  ! ${difference}`),
  ])
}

export const topics = operation({
  name: 'topics',
  summary:
    'print the topics with their keys, partitions and clean-up, and how they differ from what the bridge expects',
  options: {
    apply: {
      about: 'create what is missing, and give the topics that exist the settings that they would be created with',
    },
  },
  json: 'print them as JSON',
  role: 'operator',
  needs: { kafka: true, retentionDays: true, topicPrefix: true },
  select: async (_: Ports, { apply = false }) => E.right(apply),
  act: async ({ kafka, ...kept }, apply): Promise<Done<ReadonlyArray<TopicReport>>> => {
    const found = await (apply ? kafka.applyTopics() : kafka.describeTopics())
    if (E.isLeft(found)) return { code: 1, trouble: `Kafka does not answer: ${found.left.reason}` }
    const reports = withRetention(kept, found.right)
    const isAsExpected = reports.every(({ differences }) => differences.length === 0)
    return { code: isAsExpected ? 0 : 1, lines: linesOf(reports), result: reports }
  },
})
