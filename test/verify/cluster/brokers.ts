import { join } from 'node:path'
import { newClusterId } from '../../../src/tools/embedded/kafka-broker.ts'
import { runKafkaNode } from '../../../src/tools/embedded/kafka-node.ts'
import { anyFree } from '../../../src/tools/embedded/port.ts'
import { faultyServer } from '../faults/server.ts'

const ids = [1, 2, 3] as const

type Ports = { readonly broker: number; readonly controller: number }

/** As in production, except for sizes: three replicas of everything; two of them must have a record. */
const propertiesOf = (id: number, ports: ReadonlyMap<number, Ports>): string => {
  const { broker, controller } = ports.get(id) ?? { broker: 0, controller: 0 }
  const voters = [...ports].map(([each, at]) => `${each}@127.0.0.1:${at.controller}`)
  return [
    'process.roles=broker,controller',
    `node.id=${id}`,
    `controller.quorum.voters=${voters.join(',')}`,
    `listeners=CLIENTS://127.0.0.1:${broker},CONTROLLER://127.0.0.1:${controller}`,
    `advertised.listeners=CLIENTS://127.0.0.1:${broker}`,
    'inter.broker.listener.name=CLIENTS',
    'controller.listener.names=CONTROLLER',
    'listener.security.protocol.map=CLIENTS:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'log.dirs=data',
    'auto.create.topics.enable=false',
    'default.replication.factor=3',
    'min.insync.replicas=2',
    'offsets.topic.replication.factor=3',
    'offsets.topic.num.partitions=3',
    'group.initial.rebalance.delay.ms=0',
    'log.index.size.max.bytes=1048576',
    'log.segment.bytes=134217728',
    'log.cleaner.dedupe.buffer.size=16777216',
    'metadata.max.idle.interval.ms=5000',
    '',
  ].join('\n')
}

/** Three brokers that are also the controllers. Scenarios inject faults into each separately. */
export const startBrokers = async (directory: string, jars: string) => {
  const clusterId = newClusterId()
  const ports = new Map<number, Ports>()
  for (const id of ids) ports.set(id, { broker: await anyFree(), controller: await anyFree() })
  const nodes = await Promise.all(
    ids.map(async (id) => {
      const home = join(directory, `kafka-${id}`)
      const start = () =>
        runKafkaNode({
          name: `broker ${id}`,
          directory: home,
          logFile: join(directory, `kafka-${id}.log`),
          jars,
          heap: 384,
          clusterId,
          configure: async () => ({ port: ports.get(id)?.broker ?? 0, properties: propertiesOf(id, ports) }),
        })
      return { id, ...(await faultyServer(home, start, () => {})) }
    }),
  )
  return { nodes, addresses: [...ports.values()].map(({ broker }) => `127.0.0.1:${broker}`) }
}
