import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startKafka } from '../../../src/tools/embedded/kafka-broker.ts'
import { mongoUrl, startMongod } from '../../../src/tools/embedded/mongod.ts'
import { randomNumbers } from '../../../src/tools/simulator/random.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { cacheDir, databaseUrl } from '../../support/servers.ts'
import { faultyProxy } from './proxy.ts'
import { faultyServer } from './server.ts'

const say = (line: string) => console.error(line)

type Prepare = (dir: string, server: 'kafka' | 'mongod') => unknown

/**
 * A real broker, behind a proxy that all clients use, and a real mongod. Scenarios inject faults into both. `prepare`
 * gets the folder of each server before it starts.
 */
export const startCluster = async (prepare: Prepare = () => {}) => {
  const dataDir = temporaryFolder()
  const cache = resolve(cacheDir)
  const [kafkaDir, mongoDir, logs] = ['kafka', 'mongod', 'logs'].map((name) => join(dataDir, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(logs)
  prepare(kafkaDir, 'kafka')
  prepare(mongoDir, 'mongod')
  const proxy = await faultyProxy(randomNumbers(Date.now()))
  const [broker, mongod] = await Promise.all([
    faultyServer(
      kafkaDir,
      () => startKafka(kafkaDir, cache, join(logs, 'kafka.log'), say, { advertised: proxy.port }),
      proxy.lead,
    ),
    faultyServer(
      mongoDir,
      () => startMongod(mongoDir, cache, join(logs, 'mongod.log'), say, process.env.MONGOD_BINARY),
      () => {},
    ),
  ])
  const guests = new Set<() => Promise<void>>()
  return {
    dataDir,
    /** Registers a function that runs once the scenario has ended. */
    afterwards: (leave: () => Promise<void>) => guests.add(leave),
    heal: async () => {
      for (const leave of guests) await leave()
      guests.clear()
      proxy.swallow(0)
      proxy.thaw()
      await Promise.all([broker.heal(), mongod.heal()])
    },
    proxy,
    broker,
    mongod,
    brokers: [`127.0.0.1:${proxy.port}`],
    mongoUrl: (database: string) => databaseUrl(mongoUrl(mongod.address()), database),
    stop: async () => {
      proxy.stop()
      await Promise.all([broker.stop(), mongod.stop()])
    },
  }
}
export type Cluster = Awaited<ReturnType<typeof startCluster>>
