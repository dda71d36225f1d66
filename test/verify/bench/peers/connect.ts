import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import { startJava } from './java.ts'
import { javaPeer } from './maven.ts'

export const connectGroup = (name: string) => `connect-${name}`

const properties = (bench: Bench, dir: string) => ({
  'bootstrap.servers': bench.brokers.join(','),
  'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
  'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
  'value.converter.schemas.enable': 'false',
  'offset.storage.file.filename': join(dir, 'offsets'),
  'offset.flush.interval.ms': '5000',
  listeners: 'http://127.0.0.1:0',
})

const sink = (name: string, topic: string, connectionUri: string, database: string) => ({
  name,
  'connector.class': 'com.mongodb.kafka.connect.MongoSinkConnector',
  'tasks.max': '1',
  topics: topic,
  'connection.uri': connectionUri,
  database,
  collection: 'chats',
  'document.id.strategy': 'com.mongodb.kafka.connect.sink.processor.id.strategy.PartialValueStrategy',
  'document.id.strategy.partial.value.projection.list': 'chat_id',
  'document.id.strategy.partial.value.projection.type': 'AllowList',
  'writemodel.strategy': 'com.mongodb.kafka.connect.sink.writemodel.strategy.UpdateOneDefaultStrategy',
  'max.batch.size': '1000',
  'consumer.override.max.poll.records': '1000',
})

const toText = (entries: Readonly<Record<string, string>>) =>
  Object.entries(entries)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('')

/** Kafka Connect's standalone worker with MongoDB's own sink: one upsert by chat_id for each record. */
export const startConnect = async (bench: Bench, name: string, topic: string, database: string) => {
  const classes = await javaPeer(bench.cacheDir, { name: 'connect', sources: [] }, bench.say)
  const dir = join(bench.dataDir, name)
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'worker.properties'), toText(properties(bench, dir)))
  writeFileSync(join(dir, 'sink.properties'), toText(sink(name, topic, bench.mongoUrl(''), database)))
  const main = 'org.apache.kafka.connect.cli.ConnectStandalone'
  return startJava(bench, name, ['-Xmx768m', '-cp', classes, main, 'worker.properties', 'sink.properties'], dir)
}
