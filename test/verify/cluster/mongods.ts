import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { MongoClient } from 'mongodb'
import { mongodOptions } from '../../../src/tools/embedded/mongod.ts'
import { anyFree } from '../../../src/tools/embedded/port.ts'
import { isListening, runServer } from '../../../src/tools/embedded/server.ts'
import { eventually } from '../../support/eventually.ts'
import { faultyServer } from '../faults/server.ts'

const replicaSet = 'three'

const optionsOf = (port: number) => [
  ...mongodOptions(port, { name: replicaSet, oplogMegabytes: 128, cacheGigabytes: '0.25' }),
  '--setParameter',
  'enableTestCommands=1',
]

/** A replica set of three. Scenarios inject faults into each member separately. */
export const startMongods = async (directory: string, binary: string) => {
  const ports = [await anyFree(), await anyFree(), await anyFree()]
  const members = await Promise.all(
    ports.map(async (port, i) => {
      const home = join(directory, `mongod-${i + 1}`)
      mkdirSync(join(home, 'data'), { recursive: true })
      const prepared = { port, command: binary, args: optionsOf(port), isReady: () => isListening(port) }
      const start = () =>
        runServer({
          name: `mongod ${i + 1}`,
          instead: 'set MONGOD_BINARY',
          directory: home,
          logFile: join(directory, `mongod-${i + 1}.log`),
          prepare: async () => E.right(prepared),
        })
      return { host: `127.0.0.1:${port}`, ...(await faultyServer(home, start, () => {})) }
    }),
  )
  const hosts = members.map(({ host }) => host)
  type Question<A> = (admin: ReturnType<MongoClient['db']>) => Promise<A>
  const ask = async <A>(host: string, question: Question<A>, withinMs = 30_000): Promise<A> => {
    const bounds = { serverSelectionTimeoutMS: withinMs, socketTimeoutMS: withinMs }
    const client = new MongoClient(`mongodb://${host}/?directConnection=true`, bounds)
    return question(client.db('admin')).finally(() => client.close())
  }
  const isPrimary = (host: string) =>
    ask(host, (admin) => admin.command({ hello: 1 }), 2_000).then(
      ({ isWritablePrimary }) => isWritablePrimary === true,
      () => false,
    )
  const [first = ''] = hosts
  await ask(first, (admin) =>
    admin.command({ replSetInitiate: { _id: replicaSet, members: hosts.map((host, _id) => ({ _id, host })) } }),
  )
  /** Waits for a primary. Returns this member. */
  const primary = () =>
    eventually('a primary', async () => {
      for (const member of members) if (await isPrimary(member.host)) return member
      return undefined
    })
  await primary()
  return {
    members,
    primary,
    /**
     * Stops the replication from the primary. The others still respond to it, so it stays the primary. `resume` starts
     * the replication again. Frozen processes would not do: they would find in their sockets what the primary had sent
     * them.
     */
    stopReplication: async () => {
      const source = await primary()
      const set = (mode: 'alwaysOn' | 'off') =>
        Promise.all(
          members
            .filter((member) => member !== source)
            .map(({ host }) => ask(host, (admin) => admin.command({ configureFailPoint: 'stopReplProducer', mode }))),
        )
      await set('alwaysOn')
      return { source, resume: async () => void (await set('off')) }
    },
    stepDown: async () => {
      const { host } = await primary()
      await ask(host, (admin) => admin.command({ replSetStepDown: 30, secondaryCatchUpPeriodSecs: 5 }))
    },
    url: (database: string) => `mongodb://${hosts.join(',')}/${database}?replicaSet=${replicaSet}`,
  }
}
