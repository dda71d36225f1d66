import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { Say } from './download.ts'
import { kafkaJars } from './kafka-jars.ts'
import { runKafkaNode } from './kafka-node.ts'
import { choosePort } from './port.ts'
import type { Problem } from './problem.ts'
import type { Running } from './server.ts'

/** The ports of a Kafka broker that is its own controller. Both are on 127.0.0.1. */
export type KafkaPorts = {
  readonly broker: number
  readonly controller: number
  /** The port that the broker advertises to clients if there is a proxy in front of it. */
  readonly advertised?: number
}

const internalTopics = ['offsets.topic', 'transaction.state.log', 'share.coordinator.state.topic']

const oneNode = internalTopics.flatMap((topic) => [
  [`${topic}.num.partitions`, 1],
  [`${topic}.replication.factor`, 1],
  ...(topic === 'offsets.topic' ? [] : [[`${topic}.min.isr`, 1]]),
])

/** The server.properties of a broker that starts fast, uses few resources and is reachable only on loopback. */
export const kafkaConfig = ({ broker, controller, advertised = broker }: KafkaPorts): string =>
  [
    ['process.roles', 'broker,controller'],
    ['node.id', 1],
    ['controller.quorum.voters', `1@127.0.0.1:${controller}`],
    ['listeners', `CLIENTS://127.0.0.1:${broker},CONTROLLER://127.0.0.1:${controller}`],
    ['advertised.listeners', `CLIENTS://127.0.0.1:${advertised}`],
    ['inter.broker.listener.name', 'CLIENTS'],
    ['controller.listener.names', 'CONTROLLER'],
    ['listener.security.protocol.map', 'CLIENTS:PLAINTEXT,CONTROLLER:PLAINTEXT'],
    // Relative to the working directory: a path would need escaping, and a comma in it cannot be escaped.
    ['log.dirs', 'data'],
    ['auto.create.topics.enable', false],
    ['default.replication.factor', 1],
    ['min.insync.replicas', 1],
    ...oneNode,
    ['group.initial.rebalance.delay.ms', 0],
    // Kafka allocates two index files of this size per partition. 1 MiB is four times what a 128 MiB segment needs.
    ['log.index.size.max.bytes', 1024 * 1024],
    ['log.segment.bytes', 128 * 1024 * 1024],
    ['log.cleaner.dedupe.buffer.size', 16 * 1024 * 1024],
    ['metadata.max.idle.interval.ms', 5_000],
  ]
    .map(([key, value]) => `${key}=${value}\n`)
    .join('')

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
