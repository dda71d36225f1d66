import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { MongoClient } from 'mongodb'
import { mongodOptions } from '../../../src/tools/embedded/mongod.ts'
import { findMongod } from '../../../src/tools/embedded/mongod-binary.ts'
import { anyFree } from '../../../src/tools/embedded/port.ts'
import { isListening, runServer } from '../../../src/tools/embedded/server.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { cacheDir } from '../../support/servers.ts'
import type { Authority } from './certificates.ts'

export const user = { name: 'bridge', password: 'the password/of@the bridge' }
const replicaSet = 'secure'

/** A real mongod that accepts only TLS and known users. It may also require a client certificate. */
export const startSecureMongod = async (directory: string, authority: Authority, wantsCertificate: boolean) => {
  mkdirSync(join(directory, 'data'), { recursive: true })
  const keyFile = join(directory, 'key')
  writeFileSync(keyFile, randomBytes(66).toString('base64'), { mode: 0o600 })
  const binary = right(await findMongod(resolve(cacheDir), (line) => console.error(line), process.env.MONGOD_BINARY))
  const port = await anyFree()
  const { bothFile } = await authority.forLocalhost(`mongod-${port}`)
  const ca = authority.own.certFile
  const running = right(
    await runServer({
      name: 'mongod',
      instead: 'set MONGOD_BINARY',
      directory,
      logFile: join(directory, 'mongod.log'),
      prepare: async () => ({
        _tag: 'Right',
        right: {
          port,
          command: binary,
          args: [
            ...mongodOptions(port, { name: replicaSet, oplogMegabytes: 64, cacheGigabytes: '0.25' }),
            '--auth',
            '--keyFile',
            keyFile,
            '--tlsMode',
            'requireTLS',
            '--tlsCertificateKeyFile',
            bothFile,
            '--tlsCAFile',
            ca,
            ...(wantsCertificate ? [] : ['--tlsAllowConnectionsWithoutCertificates']),
            '--setParameter',
            'shutdownTimeoutMillisForSignaledShutdown=0',
          ],
          isReady: () => isListening(port),
        },
      }),
    }),
  )
  const tls = `tls=true&tlsCAFile=${ca}`
  const connect = (login = '', database = 'admin') =>
    new MongoClient(
      `mongodb://${login}localhost:${port}/?authSource=${database}&directConnection=true&${tls}&tlsCertificateKeyFile=${bothFile}`,
    )
  // Before the first user exists, a local client may create the replica set and the first user, and do nothing more.
  await using founder = connect()
  const founding = founder.db('admin')
  await founding.command({ replSetInitiate: { _id: replicaSet, members: [{ _id: 0, host: `localhost:${port}` }] } })
  await eventually('a primary', async () => (await founding.command({ hello: 1 })).isWritablePrimary || undefined)
  await founding.command({ createUser: 'root', pwd: 'the-root', roles: ['root'] })
  await using root = connect('root:the-root@')
  const roles = [{ role: 'readWrite', db: 'livechat' }]
  await root.db('admin').command({ createUser: user.name, pwd: user.password, roles })
  const login = (password: string) => `${user.name}:${encodeURIComponent(password)}@`
  return {
    /** A URL of this server; each part can be replaced. */
    url: ({ password = user.password, host = 'localhost', options = tls, more = '' } = {}) =>
      `mongodb://${login(password)}${host}:${port}/livechat?authSource=admin&replicaSet=${replicaSet}&${options}${more}`,
    /** A client of this server with a name and a password that a database has. */
    connectAs: (name: string, password: string, database = 'admin') =>
      connect(`${name}:${encodeURIComponent(password)}@`, database),
    root: { name: 'root', password: 'the-root' },
    stop: running.stop,
  }
}
