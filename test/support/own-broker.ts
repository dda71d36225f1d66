import { join, resolve } from 'node:path'
import { kafkaConfig, newClusterId } from '../../src/tools/embedded/kafka-broker.ts'
import { kafkaJars } from '../../src/tools/embedded/kafka-jars.ts'
import { runKafkaNode } from '../../src/tools/embedded/kafka-node.ts'
import { anyFree } from '../../src/tools/embedded/port.ts'
import { right } from './either.ts'
import { temporaryFolder } from './folder.ts'
import { cacheDir } from './servers.ts'

/**
 * Starts a broker that nobody else uses, with these lines of settings beside the usual ones. It may be stopped and
 * started again. `withJars` may return another folder of jars than the usual one.
 */
export const ownBroker = async (
  properties: ReadonlyArray<string>,
  withJars: (jars: string) => Promise<string> = async (jars) => jars,
) => {
  const directory = temporaryFolder()
  const ports = { broker: await anyFree(), controller: await anyFree() }
  const node = {
    name: 'a broker',
    directory,
    logFile: join(directory, 'kafka.log'),
    jars: await withJars(right(await kafkaJars(resolve(cacheDir), () => {}))),
    heap: 384,
    clusterId: newClusterId(),
    configure: async () => ({
      port: ports.broker,
      properties: `${kafkaConfig(ports)}${properties.map((line) => `${line}\n`).join('')}`,
    }),
  }
  let running = right(await runKafkaNode(node))
  return {
    brokers: [`127.0.0.1:${ports.broker}`],
    stop: () => running.stop(),
    start: async () => {
      running = right(await runKafkaNode(node))
    },
  }
}
