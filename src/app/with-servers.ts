import { now } from '../domain/clock.ts'
import { connectKafka, type KafkaRoom } from '../kafka/kafka.ts'
import { connectMongo } from '../mongo/connect.ts'
import type { Redrives } from '../mongo/redrives.ts'
import { monotonic, sleep } from '../shared/time.ts'
import { kafkaSettings } from './kafka-settings.ts'
import { createLog } from './log.ts'
import { createMetrics } from './metrics.ts'
import { kafkaOf, mongoOf } from './places.ts'
import { exitOfWrongConfig, readSettings } from './settings.ts'

/** MongoDB of the configuration, or that of the bridge that runs on this DATA_DIR. */
type Servers = { readonly kafka: KafkaRoom; readonly redrives: Redrives; readonly interrupted: AbortSignal }

const away = async () => Promise.reject(new Error('there is no MongoDB'))

/** Runs a command with both servers, and ends their connections; SIGINT and SIGTERM tell it to end early. Its exit code. */
export const withServers = async (run: (servers: Servers) => Promise<number>): Promise<number> => {
  const settings = await readSettings()
  if (settings === undefined) return exitOfWrongConfig
  const [kafkaConfig, mongoConfig] = [kafkaOf(settings), mongoOf(settings)]
  if (kafkaConfig === undefined) {
    console.error('No bridge runs here with an embedded broker: start one with npm start, or set KAFKA_BROKERS.')
    return 1
  }
  const interruption = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort())
  const log = createLog('silent')
  const { measure } = createMetrics()
  const kafka = connectKafka(kafkaSettings(kafkaConfig, settings.topics, 'livechat-bridge-redrive'), {
    log,
    measure,
    now,
  })
  const mongo = mongoConfig && connectMongo(mongoConfig, { log, sleep, clock: monotonic })
  const redrives = mongo?.redrives ?? { find: away, remember: away, states: away }
  try {
    return await run({ kafka, redrives, interrupted: interruption.signal })
  } finally {
    await kafka.stop()
    await mongo?.stop()
  }
}
