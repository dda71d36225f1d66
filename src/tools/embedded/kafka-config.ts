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
