import { readFileSync } from 'node:fs'
import { MongoClient } from 'mongodb'
import { pins } from '../../../src/tools/embedded/pins.ts'
import { startEmbedded } from '../../../src/tools/embedded/servers.ts'
import { right } from '../../support/either.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { cacheDir, databaseUrl } from '../../support/servers.ts'
import { commandLine, family } from './proc.ts'

const serverPid = (isIt: (command: string) => boolean): number => {
  const found = family(process.pid).filter(({ pid }) => isIt(commandLine(pid).slice(0, 1).join()))
  return found[0]?.pid ?? 0
}

const kafkaVersion = () => /<kafka\.version>(.*)<\/kafka\.version>/.exec(readFileSync(pins.pom, 'utf8'))?.[1] ?? ''

/** One broker and one mongod for the whole run, as `npm start` runs them, with their own data. */
export const startServers = async (say: (line: string) => void) => {
  const dataDir = temporaryFolder()
  const mongodBinary = process.env.MONGOD_BINARY
  const options = { dataDir, cacheDir, kafka: true, mongo: true, say }
  const servers = right(await startEmbedded({ ...options, ...(mongodBinary !== undefined && { mongodBinary }) }))
  const { brokers = [], mongoUrl = '' } = servers
  const pids = { kafka: serverPid((it) => it === 'java'), mongod: serverPid((it) => it.endsWith('mongod')) }
  let stopped: Promise<void> | undefined
  return {
    dataDir,
    cacheDir,
    brokers,
    serverPids: () => pids,
    mongoUrl: (database: string) => databaseUrl(mongoUrl, database),
    versions: async () => {
      await using client = await MongoClient.connect(mongoUrl)
      const { version } = await client.db().admin().serverInfo()
      return { Kafka: kafkaVersion(), MongoDB: String(version) }
    },
    stop: () => {
      stopped ??= servers.stop()
      return stopped
    },
  }
}
