import { resolve } from 'node:path'
import { kafkaJars } from '../../../src/tools/embedded/kafka-jars.ts'
import { findMongod } from '../../../src/tools/embedded/mongod-binary.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { withAdmin } from '../../support/plain-consumer.ts'
import { cacheDir } from '../../support/servers.ts'
import { startBrokers } from './brokers.ts'
import { startMongods } from './mongods.ts'

const say = (line: string) => console.error(line)

/** A cluster as in production, on loopback: three brokers and a replica set of three. Scenarios inject faults. */
export const startThree = async () => {
  const dataDir = temporaryFolder()
  const cache = resolve(cacheDir)
  const jars = right(await kafkaJars(cache, say))
  const binary = right(await findMongod(cache, say, process.env.MONGOD_BINARY))
  const [kafka, mongo] = await Promise.all([startBrokers(dataDir, jars), startMongods(dataDir, binary)])
  const { nodes, addresses: brokers } = kafka
  const guests = new Set<() => Promise<void>>()
  const metadataOf = (topics: ReadonlyArray<string>) =>
    withAdmin(brokers, (admin) => admin.fetchTopicMetadata({ topics: [...topics] }))

  /** Waits until every replica of the topics is in sync. */
  const inSync = (topics: ReadonlyArray<string>) =>
    eventually(
      'all replicas to be in sync',
      async () => {
        const found = await metadataOf(topics).catch(() => undefined)
        const all = found?.topics.flatMap(({ partitions }) => partitions) ?? []
        return (all.length > 0 && all.every(({ isr, replicas }) => isr.length === replicas.length)) || undefined
      },
      120_000,
    )
  return {
    dataDir,
    nodes,
    mongo,
    brokers,
    mongoUrl: mongo.url,
    inSync,
    /** Waits for a leader of this partition. Returns this broker. */
    leaderOf: (topic: string, partition: number) =>
      eventually(`a leader of ${topic}/${partition}`, async () => {
        const found = await metadataOf([topic]).catch(() => undefined)
        const leader = found?.topics[0]?.partitions.find(({ partitionId }) => partitionId === partition)?.leader
        return nodes.find(({ id }) => id === leader)
      }),
    /** Registers a function that runs once the scenario has ended. */
    afterwards: (leave: () => Promise<void>) => guests.add(leave),
    heal: async () => {
      for (const leave of guests) await leave()
      guests.clear()
      await Promise.all([...nodes, ...mongo.members].map((server) => server.heal()))
      await mongo.primary()
    },
    stop: async () => {
      await Promise.all([...nodes, ...mongo.members].map((server) => server.stop()))
    },
  }
}
export type Three = Awaited<ReturnType<typeof startThree>>
