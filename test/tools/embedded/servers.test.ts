import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { Partitioners } from 'kafkajs'
import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { anyFree } from '../../../src/tools/embedded/port.ts'
import { type Embedded, startEmbedded } from '../../../src/tools/embedded/servers.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { createTopics, plainClient } from '../../support/plain-consumer.ts'
import { cacheDir } from '../../support/servers.ts'
import { groupOf, processesOf } from './support.ts'

const dataDir = temporaryFolder()
const heard: string[] = []
const say = (line: string) => heard.push(line)
const start = () => startEmbedded({ dataDir, cacheDir, kafka: true, mongo: true, say })

const started = async (): Promise<Embedded> => {
  const outcome = await start()
  if (E.isLeft(outcome)) throw new Error(outcome.left.message)
  return outcome.right
}

const kafkaOf = ({ brokers = [] }: Embedded) => plainClient(brokers)

const write = async (servers: Embedded) => {
  const producer = kafkaOf(servers).producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await createTopics(servers.brokers ?? [], [{ topic: 'kept' }])
  await producer.connect()
  await producer.send({ topic: 'kept', acks: -1, messages: [{ value: 'a record' }] })
  await producer.disconnect()
  const client = await MongoClient.connect(servers.mongoUrl ?? '')
  await client.db().collection<{ _id: string }>('kept').insertOne({ _id: 'a document' })
  await client.close()
}

const read = async (servers: Embedded) => {
  const consumer = kafkaOf(servers).consumer({ groupId: randomUUID() })
  await consumer.connect()
  await consumer.subscribe({ topic: 'kept', fromBeginning: true })
  const record = await new Promise((resolve) => {
    consumer.run({ eachMessage: async ({ message }) => resolve(message.value?.toString()) })
  })
  await consumer.disconnect()
  const client = await MongoClient.connect(servers.mongoUrl ?? '')
  const documents = await client.db().collection('kept').find().toArray()
  await client.close()
  return { record, documents }
}

const kept = { record: 'a record', documents: [{ _id: 'a document' }] }

const clusterOf = async () => {
  const properties = await readFile(join(dataDir, 'kafka', 'data', 'meta.properties'), 'utf8')
  return /^cluster\.id=(.*)$/m.exec(properties)?.[1]
}

const occupy = async (address: string) => {
  const server = createServer((socket) => socket.destroy()).listen(
    Number(new URL(`tcp://${address}`).port),
    '127.0.0.1',
  )
  await once(server, 'listening')
  return server
}

const hostOf = (mongoUrl: string | undefined) => new URL(mongoUrl ?? '').host

const embedded = suite('embedded servers')
/** The last start. Each test begins after its stop, with its data and its addresses. */
let last: Embedded

embedded('a broker and a mongod are usable once reported as ready, and stop without leaving a process', async () => {
  const servers = await started()
  await write(servers)
  const groups = await Promise.all([groupOf(dataDir, 'kafka'), groupOf(dataDir, 'mongod')])
  const before = await Promise.all(groups.map(processesOf))

  await servers.stop()

  last = servers
  const after = await Promise.all(groups.map(processesOf))
  assert.equal(
    before.map((pids) => pids.length > 0),
    [true, true],
  )
  assert.equal(after, [[], []])
})

embedded('a second start has the addresses and the data of the first and fetches nothing', async () => {
  heard.length = 0
  const cluster = await clusterOf()

  const second = await started()

  assert.equal([second.brokers, second.mongoUrl], [last.brokers, last.mongoUrl])
  assert.equal(await read(second), kept)
  assert.ok(cluster)
  assert.equal(await clusterOf(), cluster)
  assert.equal(heard, [])
  await second.stop()
  last = second
})

embedded('if their ports are in use, they move to others and keep their data', async () => {
  const [broker = ''] = last.brokers ?? []
  const taken = await Promise.all([broker, hostOf(last.mongoUrl)].map(occupy))

  const other = await started()

  assert.not.equal(other.brokers, last.brokers)
  assert.not.equal(other.mongoUrl, last.mongoUrl)
  assert.equal(await read(other), kept)
  await other.stop()
  for (const server of taken) server.close()
})

embedded('they use the preferred ports', async () => {
  const kafka = await anyFree()
  const preferredPorts = { kafka, mongo: await anyFree(kafka) }
  const outcome = await startEmbedded({ dataDir, cacheDir, kafka: true, mongo: true, say, preferredPorts })
  if (E.isLeft(outcome)) throw new Error(outcome.left.message)
  assert.equal(outcome.right.brokers, [`127.0.0.1:${kafka}`])
  assert.is(hostOf(outcome.right.mongoUrl), `127.0.0.1:${preferredPorts.mongo}`)
  await outcome.right.stop()
})

embedded('a data directory that another running bridge uses is refused, and that bridge is left alone', async () => {
  const first = await started()

  const second = await start()

  assert.equal(
    second,
    E.left({
      message: `${dataDir} is in use by another running bridge (process ${process.pid}): stop that one, or set DATA_DIR to another directory`,
    }),
  )
  assert.equal(await read(first), kept)
  await first.stop()
})

embedded.run()
