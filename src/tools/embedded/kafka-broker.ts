import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { Say } from './download.ts'
import { kafkaConfig } from './kafka-config.ts'
import { kafkaJars } from './kafka-jars.ts'
import { runKafkaNode } from './kafka-node.ts'
import { choosePort } from './port.ts'
import type { Problem } from './problem.ts'
import type { Running } from './server.ts'

/** A cluster id is 16 bytes in base64url. Kafka's tool would read a leading dash as an option. */
export const newClusterId = () => randomBytes(16).toString('base64url').replace(/^-/, 'A')

type Ports = {
  /** Used if it is free. */
  readonly preferred?: number | undefined
  /** The broker advertises this port to clients: that of a proxy in front of the broker. */
  readonly advertised?: number
}

/** Starts the Kafka broker whose data is in `directory`; its address is `127.0.0.1:port`. */
export const startKafka = async (
  directory: string,
  cacheDir: string,
  logFile: string,
  say: Say,
  { preferred, advertised }: Ports = {},
): Promise<E.Either<Problem, Running>> => {
  const jars = await kafkaJars(cacheDir, say)
  if (E.isLeft(jars)) return jars
  return runKafkaNode({
    name: 'the Kafka broker',
    directory,
    logFile,
    jars: jars.right,
    heap: 512,
    clusterId: newClusterId(),
    configure: async () => {
      const broker = await choosePort(join(directory, 'broker.port'), { preferred })
      const controller = await choosePort(join(directory, 'controller.port'), { except: broker })
      const ports = { broker, controller, ...(advertised !== undefined && { advertised }) }
      return { port: broker, properties: kafkaConfig(ports) }
    },
  })
}
