import { readFileSync } from 'node:fs'
import { BSON, type Db, MongoClient } from 'mongodb'
import { archiveTopics, topics } from '../../../../contracts/topics.ts'
import { dataKeys } from '../../../../src/bridge/archive/data-keys.ts'
import { readKeys } from '../../../../src/bridge/archive/key-file.ts'
import { restorer } from '../../../../src/bridge/archive/restore.ts'
import type { KafkaPorts } from '../../../../src/bridge/kafka/kafka.ts'
import { archiveKeysIn } from '../../../../src/bridge/mongo/archive-keys.ts'
import { connectMongo } from '../../../../src/bridge/mongo/connect.ts'
import { right } from '../../../support/either.ts'
import { withAdmin } from '../../../support/plain-consumer.ts'
import { canariesIn, isAny } from './canaries.ts'

const inDatabase = async <A>(url: string, question: (db: Db) => Promise<A>): Promise<A> => {
  await using client = await MongoClient.connect(url)
  return await question(client.db())
}

/** Does what the guide tells an operator to do with the keys of removed enrichments. */
export const removeKeys = (url: string) =>
  inDatabase(url, (db) => db.collection('enrichments').deleteMany({ value: { $exists: false } }))

/** How many commands have no outcome yet. */
export const pending = (url: string) =>
  inDatabase(url, (db) => db.collection('deliveries').countDocuments({ state: 'pending' }))

/** The views that still contain canaries, with the places where these were planted. */
export const telling = (url: string) =>
  inDatabase(url, async (db) => {
    const found = new Map<string, Set<string>>()
    for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray())
      for await (const document of db.collection(name).find()) {
        const bytes = Buffer.from(BSON.serialize(document))
        if (!isAny(bytes)) continue
        found.set(name, new Set([...(found.get(name) ?? []), ...canariesIn(bytes.toString('latin1'))]))
      }
    return found
  })

/** The canaries that the present keys can still decrypt in the archive. */
export const readable = async (
  kafka: Pick<KafkaPorts, 'readTopic'>,
  location: Parameters<typeof connectMongo>[0],
  keyFile: string,
): Promise<ReadonlySet<string>> => {
  const mongo = connectMongo(location)
  const found = new Set<string>()
  try {
    const restore = restorer(dataKeys(mongo.query(archiveKeysIn), right(readKeys(readFileSync(keyFile, 'utf8')))))
    for (const { name } of archiveTopics)
      right(
        await kafka.readTopic(name, async (records) => {
          for (const restored of await restore(records))
            for (const where of canariesIn(restored.kind === 'record' ? String(restored.record.value) : ''))
              found.add(where)
        }),
      )
  } finally {
    await mongo.stop()
  }
  return found
}

const soon = { 'segment.ms': '500', 'file.delete.delay.ms': '0', 'max.message.bytes': String(16 * 1024 * 1024) }
const compacted = {
  'cleanup.policy': 'compact',
  'max.compaction.lag.ms': '500',
  'min.cleanable.dirty.ratio': '0.01',
  'delete.retention.ms': '500',
}
/** The same clean-up as in production, with seconds instead of days. */
const cleanUpOf = ({ name, cleanUp }: (typeof topics)[number]): Readonly<Record<string, string>> => {
  if (cleanUp === 'compact') return { ...soon, ...compacted }
  const isOurs = cleanUp === 'forever' || name === 'audit' || name === 'erasure-confirmations'
  return { ...soon, 'retention.ms': isOurs ? '-1' : '1000', 'retention.bytes': '-1' }
}

/** From now on Kafka cleans up within seconds. */
export const cleanUpSoon = (brokers: ReadonlyArray<string>, prefix: string) =>
  withAdmin([...brokers], (admin) =>
    admin.alterConfigs({
      validateOnly: false,
      resources: topics.map((topic) => ({
        type: 2,
        name: prefix + topic.name,
        configEntries: Object.entries(cleanUpOf(topic)).map(([name, value]) => ({ name, value })),
      })),
    }),
  )
