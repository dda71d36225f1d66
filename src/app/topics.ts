import * as E from 'fp-ts/lib/Either.js'
import { now } from '../domain/clock.ts'
import { connectKafka } from '../kafka/kafka.ts'
import { table } from '../shared/table.ts'
import { kafkaSettings } from './kafka-settings.ts'
import { createLog } from './log.ts'
import { createMetrics } from './metrics.ts'
import { kafkaOf } from './places.ts'
import { exitOfWrongConfig, readSettings } from './settings.ts'

export type TopicsOptions = { readonly json?: boolean; readonly apply?: boolean }

/** Prints a line for each topic and its differences below, or all as JSON; exit code 1 where there are differences. */
export const topics = async ({ json = false, apply = false }: TopicsOptions): Promise<number> => {
  const settings = await readSettings()
  if (settings === undefined) return exitOfWrongConfig
  const connection = kafkaOf(settings)
  if (connection === undefined) {
    console.error('No bridge runs here with an embedded broker: start one with npm start, or set KAFKA_BROKERS.')
    return 1
  }
  const kafka = connectKafka(kafkaSettings(connection, settings.topics, 'livechat-bridge-topics'), {
    log: createLog('silent'),
    measure: createMetrics().measure,
    now,
  })
  const reports = await (apply ? kafka.applyTopics() : kafka.describeTopics())
  await kafka.stop()
  if (E.isLeft(reports)) {
    console.error(`Kafka does not answer: ${reports.left.reason}`)
    return 1
  }
  const same = reports.right.every(({ differences }) => differences.length === 0)
  if (json) {
    console.log(JSON.stringify(reports.right, null, 2))
    return same ? 0 : 1
  }
  const rows = reports.right.map(({ name, key, partitions, replication, cleanUp }) => [
    name,
    key,
    `${partitions} partitions`,
    `replication ${replication}`,
    cleanUp,
  ])
  for (const [i, line] of table(rows).entries()) {
    console.log(line)
    for (const difference of reports.right[i]?.differences ?? []) console.log(`  ! ${difference}`)
  }
  return same ? 0 : 1
}
