import { MongoClient } from 'mongodb'
import { createMetrics } from '../../src/app/metrics.ts'
import { kafkaSettings } from '../../src/app/servers.ts'
import { createLog } from '../../src/app/telemetry.ts'
import { now } from '../../src/bridge/domain/clock.ts'
import { connectKafka } from '../../src/bridge/kafka/kafka.ts'
import { connectMongo } from '../../src/bridge/mongo/connect.ts'
import { connectRebuilds } from '../../src/bridge/mongo/rebuild/rebuilds.ts'
import { actionRecorder } from '../../src/bridge/operations/audit.ts'
import { sleep } from '../../src/bridge/shared/time.ts'
import type { World } from './world.ts'

/** The connections of an operator beside the bridges of a world, and the plain driver to look at its documents. */
export const connectOperator = async (
  { brokers, prefix, mongo: location }: Pick<World, 'brokers' | 'prefix' | 'mongo'>,
  partitions = 4,
) => {
  const client = await MongoClient.connect(location.url)
  const log = createLog('silent')
  const settings = kafkaSettings({ brokers, ssl: false }, { prefix, partitions }, 'operator')
  const kafka = connectKafka(settings, { log, measure: createMetrics().measure, now })
  const mongo = connectMongo(location)
  const rebuilds = connectRebuilds(location, { sleep })
  return {
    db: client.db(),
    kafka,
    mongo,
    rebuilds,
    recordAction: actionRecorder(kafka.append, now, 'operator@test'),
    stop: async () => void (await Promise.all([kafka.stop(), mongo.stop(), rebuilds.stop(), client.close()])),
  }
}
