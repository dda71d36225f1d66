import { chmodSync, cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { MongoClient } from 'mongodb'
import { kafkaConfig, newClusterId } from '../../../../src/tools/embedded/kafka-broker.ts'
import { kafkaJars } from '../../../../src/tools/embedded/kafka-jars.ts'
import { runKafkaNode } from '../../../../src/tools/embedded/kafka-node.ts'
import { mongodOptions, mongoUrl, startMongod } from '../../../../src/tools/embedded/mongod.ts'
import { findMongod } from '../../../../src/tools/embedded/mongod-binary.ts'
import { anyFree, choosePort } from '../../../../src/tools/embedded/port.ts'
import { isListening, runServer } from '../../../../src/tools/embedded/server.ts'
import { right } from '../../../support/either.ts'
import { eventually } from '../../../support/eventually.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { cacheDir, databaseUrl } from '../../../support/servers.ts'
import { faultyServer } from '../server.ts'

const say = (line: string) => console.error(line)

/** No compression, so that the search can find every word. Deleted data leaves the disk at once. */
const wiredTiger =
  '--wiredTigerCollectionBlockCompressor none --wiredTigerJournalCompressor none --wiredTigerIndexPrefixCompression false'
const quickKafka = 'log.retention.check.interval.ms=500\nlog.initial.task.delay.ms=500\nlog.cleaner.backoff.ms=500\n'

type Question = (admin: ReturnType<MongoClient['db']>) => Promise<unknown>

/** A broker and a mongod whose data folders a test can search, copy and restore. */
export const startGround = async () => {
  const dir = temporaryFolder()
  const [cache, logs] = [resolve(cacheDir), join(dir, 'logs')]
  const folders = { kafka: join(dir, 'kafka'), mongod: join(dir, 'mongod') }
  mkdirSync(logs)
  const jars = right(await kafkaJars(cache, say))
  const binary = right(await findMongod(cache, say, process.env.MONGOD_BINARY))
  const script = join(dir, 'mongod.sh')
  writeFileSync(script, `#!/bin/sh\nexec '${binary}' "$@" ${wiredTiger}\n`)
  chmodSync(script, 0o700)
  const clusterId = newClusterId()
  const startBroker = () =>
    runKafkaNode({
      name: 'the broker',
      directory: folders.kafka,
      logFile: join(logs, 'kafka.log'),
      jars,
      heap: 384,
      clusterId,
      configure: async () => {
        const broker = await choosePort(join(folders.kafka, 'broker.port'), {})
        const controller = await choosePort(join(folders.kafka, 'controller.port'), { except: broker })
        return { port: broker, properties: kafkaConfig({ broker, controller }) + quickKafka }
      },
    })
  const startDatabase = () => startMongod(folders.mongod, cache, join(logs, 'mongod.log'), say, script)
  const [broker, mongod] = await Promise.all([
    faultyServer(folders.kafka, startBroker, () => {}),
    faultyServer(folders.mongod, startDatabase, () => {}),
  ])
  const servers = { kafka: broker, mongod }
  type Name = keyof typeof servers
  const dataOf = (name: Name) => join(folders[name], 'data')
  const copyOf = (name: Name) => join(dir, `copy-of-${name}`)

  const ask = async (host: string, question: Question) => {
    const client = new MongoClient(`mongodb://${host}/?directConnection=true`)
    return question(client.db('admin')).finally(() => client.close())
  }
  /** Replaces mongod by a new member that copies its data, to remove old data from MongoDB's files. */
  const resync = async () => {
    const home = join(dir, 'resynced')
    mkdirSync(join(home, 'data'), { recursive: true })
    const port = await anyFree()
    const [old, host] = [mongod.address(), `127.0.0.1:${port}`]
    const args = mongodOptions(port, { name: 'livechat', oplogMegabytes: 256, cacheGigabytes: '0.25' })
    const running = right(
      await runServer({
        name: 'the new mongod',
        instead: 'set MONGOD_BINARY',
        directory: home,
        logFile: join(logs, 'resync.log'),
        prepare: async () => E.right({ port, command: script, args, isReady: () => isListening(port) }),
      }),
    )
    const configOf = (admin: ReturnType<MongoClient['db']>) =>
      admin.command({ replSetGetConfig: 1 }).then(({ config }) => config)
    await ask(old, async (admin) => {
      const config = await configOf(admin)
      const members = [...config.members, { _id: 9, host }]
      await admin.command({ replSetReconfig: { ...config, version: config.version + 1, members } })
    })
    const hello = (at: string) => ask(at, (admin) => admin.command({ hello: 1 })) as Promise<Record<string, unknown>>
    await eventually('the new member', async () => (await hello(host)).secondary === true, 120_000)
    await mongod.stop()
    await ask(host, async (admin) => {
      const config = await configOf(admin)
      const members = config.members.filter(({ _id }: { readonly _id: number }) => _id === 9)
      await admin.command({ replSetReconfig: { ...config, version: config.version + 1, members }, force: true })
    })
    await eventually('the new primary', async () => (await hello(host)).isWritablePrimary === true)
    await running.stop()
    rmSync(dataOf('mongod'), { recursive: true })
    renameSync(join(home, 'data'), dataOf('mongod'))
    await mongod.restart()
  }
  return {
    dir,
    dataOf,
    logs,
    broker,
    brokers: () => [broker.address()],
    mongoUrl: (database: string) => databaseUrl(mongoUrl(mongod.address()), database),
    /** Copies the data of both servers. Nothing may use the servers during the copy. */
    copy: async () => {
      await Promise.all([broker.stop(), mongod.stop()])
      for (const name of ['kafka', 'mongod'] as const) cpSync(dataOf(name), copyOf(name), { recursive: true })
      await Promise.all([broker.restart(), mongod.restart()])
    },
    /** Replaces the data by a copy. */
    restore: async (name: Name) => {
      await servers[name].stop()
      rmSync(dataOf(name), { recursive: true })
      cpSync(copyOf(name), dataOf(name), { recursive: true })
      await servers[name].restart()
    },
    resync,
    stop: async () => {
      await Promise.all([broker.stop(), mongod.stop()])
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
