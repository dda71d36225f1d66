import type { NewTopic, TopicReport } from '../../bridge/kafka/topics/settings.ts'
import type { TopicsResult } from '../../bridge/operations/topics.ts'
import { table } from '../../bridge/shared/table.ts'
import type { Words } from './words.ts'

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

/** The command that creates a topic. It changes nothing if the topic exists. */
const commandOf = ({ name, partitions, replication, config }: NewTopic): string =>
  [
    'kafka-topics.sh --bootstrap-server "$KAFKA_BROKERS" --create --if-not-exists',
    `--topic ${name} --partitions ${partitions}`,
    ...(replication === undefined ? [] : [`--replication-factor ${replication}`]),
    ...Object.entries(config).map(([setting, value]) => `--config ${setting}=${value}`),
  ].join(' ')

export const topicsWords: Words<never, TopicsResult> = {
  result: (topics) => [
    ...topics.flatMap((topic) => ('config' in topic ? [commandOf(topic)] : [])),
    ...linesOf(topics.flatMap((topic) => ('config' in topic ? [] : [topic]))),
  ],
}
