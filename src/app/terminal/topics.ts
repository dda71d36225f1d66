import type { TopicReport } from '../../bridge/kafka/topics/settings.ts'
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

export const topicsWords: Words<never, ReadonlyArray<TopicReport>> = { event: () => [], result: linesOf }
