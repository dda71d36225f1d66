import { join } from 'node:path'
import { temporaryFolder } from '../../support/folder.ts'
import { newAuthority } from './certificates.ts'
import { startSecureKafka } from './kafka-server.ts'
import { startSecureMongod } from './mongo-server.ts'

const start = async () => {
  const directory = temporaryFolder()
  const authority = await newAuthority(join(directory, 'authority'), 'Authority')
  const stranger = await newAuthority(join(directory, 'stranger'), 'Stranger')
  const client = await authority.forClient('bridge')
  const [kafka, mongod, mutualMongod] = await Promise.all([
    startSecureKafka(directory, authority),
    startSecureMongod(join(directory, 'mongod'), authority, false),
    startSecureMongod(join(directory, 'mutual-mongod'), authority, true),
  ])
  process.once('beforeExit', async () => {
    await Promise.all([kafka.stop(), mongod.stop(), mutualMongod.stop()])
  })
  return { authority, stranger, client, kafka, mongod, mutualMongod }
}

let started: ReturnType<typeof start> | undefined

/** A broker and two mongods with TLS and users, shared by all files. They start when the first test needs them. */
export const secureServers = () => {
  started ??= start()
  return started
}
