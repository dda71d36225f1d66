// Measures the size of a chat in the log, and in MongoDB as documents and indexes. Simulated chats, real servers.
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { MongoClient } from 'mongodb'
import { archiveNameOf, type EventTopicName } from '../../../contracts/topics.ts'
import { startBot, text } from '../../../src/bot/index.ts'
import { newKeyFile } from '../../../src/bridge/archive/key-file.ts'
import { startEmbedded } from '../../../src/tools/embedded/servers.ts'
import {
  chatAccepted,
  chatAssigned,
  chatFinished,
  chatUpdated,
  clientUpdated,
} from '../../../src/tools/simulator/payloads.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { endsOf } from '../../support/plain-consumer.ts'
import { cacheDir } from '../../support/servers.ts'

const { values } = parseArgs({ options: { chats: { type: 'string', default: '2000' } } })
const count = Number(values.chats)
const [turns, messagesOfChat, atOnce, partitions] = [3, 10, 24, 12]

const dataDir = temporaryFolder()
const say = (line: string) => console.error(line)
const servers = right(await startEmbedded({ dataDir, cacheDir, kafka: true, mongo: true, say }))
const { brokers = [], mongoUrl = '' } = servers
Object.assign(process.env, { KAFKA_BROKERS: brokers.join(','), MONGODB_URL: mongoUrl })
const { world } = await import('../../support/world.ts')

const here = await world({ partitions })
const archiveKeyFile = join(dataDir, 'keys.json')
writeFileSync(archiveKeyFile, newKeyFile('sizes'))
await here.start(undefined, undefined, { archiveKeyFile })
const answer = 'Thank you. I have found your order: it was handed to the carrier this morning.'
const bot = await startBot({ onMessage: () => text(answer) }, { brokers, group: 'sizes', topicPrefix: here.prefix })

/** A typical chat: some questions that a bot answers, then an agent's chat to its end, with a log of ten messages. */
const play = async (id: number) => {
  const { service } = here
  const chat = String(id)
  for (let turn = 1; turn <= turns; turn++) {
    await service.clientWrites(chat, `This is question ${turn} about my order ${id}, which has not arrived yet.`)
    await service.waitFor(
      `answer ${turn} in chat ${chat}`,
      () => (service.chat(chat)?.delivered.length ?? 0) >= turn || undefined,
      60_000,
    )
  }
  await service.closeChat(chat)
  const { chat: log } = chatFinished()
  const messages = Array.from({ length: messagesOfChat }, (_, i) => ({
    message: `${answer} (${i})`,
    timestamp: 1_665_396_476 + i,
    ...(i % 2 === 0 ? { type: 'visitor' } : { type: 'agent', agent_id: 1 }),
  }))
  const whose = { chat_id: id, user_token: `user-${id}` }
  const about = { ...chatAccepted().visitor, email: `visitor-${id}@example.com`, number: String(id) }
  for (const payload of [
    chatAccepted({ ...whose, visitor: about }),
    chatUpdated({ ...whose, visitor: about }),
    chatAssigned({ ...whose, visitor: about }),
    chatFinished({ ...whose, visitor: about, chat: { ...log, messages } }),
    clientUpdated({ client_id: id, visitor: about, user_token: `user-${id}` }),
  ])
    await service.webhook('acme', payload)
}

const ids = Array.from({ length: count }, (_, i) => 100_000 + i)
const workers = Array.from({ length: atOnce }, async () => {
  for (let id = ids.shift(); id !== undefined; id = ids.shift()) await play(id)
})
const began = performance.now()
await Promise.all(workers)
const seconds = (performance.now() - began) / 1000

const client = await MongoClient.connect(here.mongo.url)
const db = client.db()
const expected = { chats: count, clients: count, conversations: count, deliveries: turns * count }
for (const [view, documents] of Object.entries(expected))
  await eventually(
    `${documents} documents of ${view}`,
    async () => (await db.collection(view).countDocuments()) >= documents || undefined,
    120_000,
  )
await eventually(
  'every reply to be delivered in its view',
  async () => (await db.collection('deliveries').countDocuments({ state: 'delivered' })) === turns * count || undefined,
  120_000,
)
await bot.stop()

const eventTopics: ReadonlyArray<EventTopicName> = ['chats', 'clients', 'bot-conversations']
const archives = eventTopics.map(archiveNameOf)
const topics = [...eventTopics, 'bot-replies', ...archives]
const endsNow = () =>
  endsOf(
    brokers,
    topics.map((topic) => `${here.prefix}${topic}`),
  )
type Ends = Awaited<ReturnType<typeof endsNow>>
const recordsAt = (all: Ends, topic: string) =>
  [...all]
    .filter(([name]) => name.split('/')[0] === `${here.prefix}${topic}`)
    .reduce((total, [, end]) => total + end, 0)
await eventually(
  'the archive to have every event',
  async () => {
    const all = await endsNow()
    return eventTopics.every((topic) => recordsAt(all, archiveNameOf(topic)) >= recordsAt(all, topic)) || undefined
  },
  300_000,
)
await here.stop()

const data = join(dataDir, 'kafka', 'data')
const bytesOf = (topic: string) =>
  readdirSync(data)
    .filter((name) => name.replace(/-\d+$/, '') === `${here.prefix}${topic}`)
    .flatMap((folder) => readdirSync(join(data, folder)).map((file) => join(data, folder, file)))
    .filter((file) => file.endsWith('.log'))
    .reduce((sum, file) => sum + statSync(file).size, 0)
const ends = await endsNow()
const recordsOf = (topic: string) => recordsAt(ends, topic)

const number = (value: number) => Math.round(value).toLocaleString('en')
const row = (...cells: ReadonlyArray<string | number>) => console.log(`| ${cells.join(' | ')} |`)
const gigabytes = (bytesPerChat: number) => ((bytesPerChat * 1_000_000) / 1024 ** 3).toFixed(1)

console.log(`\n${count} chats, ${turns} questions and answers each, in ${seconds.toFixed(0)} s\n`)
row('topic', 'records a chat', 'bytes a record', 'bytes a chat', 'GiB a million chats, one replica')
row('---', '---:', '---:', '---:', '---:')
const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((total, each) => total + each, 0)
for (const topic of topics) {
  const [records, bytes] = [recordsOf(topic), bytesOf(topic)]
  row(topic, (records / count).toFixed(1), number(bytes / records), number(bytes / count), gigabytes(bytes / count))
}

// Writes MongoDB's memory to disk, because it does not count as stored before.
await client.db('admin').command({ fsync: 1 })
console.log()
row('collection', 'documents a chat', 'bytes a document (BSON)', 'stored', 'indexes', 'GiB a million chats, one member')
row('---', '---:', '---:', '---:', '---:', '---:')
let storedPerChat = 0
for (const view of ['chats', 'clients', 'conversations', 'sessions', 'deliveries', 'timeline', 'archive_keys']) {
  const [stats] = await db
    .collection(view)
    .aggregate([{ $collStats: { storageStats: {} } }])
    .toArray()
  const { count: documents, size, storageSize, totalIndexSize } = stats?.storageStats ?? {}
  const each = (bytes: number) => number(bytes / documents)
  const perChat = (storageSize + totalIndexSize) / count
  storedPerChat += perChat
  row(view, (documents / count).toFixed(1), each(size), each(storageSize), each(totalIndexSize), gigabytes(perChat))
}

const logged = [...eventTopics, 'bot-replies']
const recordsPerChat = sum(logged.map(recordsOf)) / count
const loggedPerChat = sum(logged.map(bytesOf)) / count
const archivedPerChat = sum(archives.map(bytesOf)) / count
console.log(
  `\nThe archive takes ${(sum(archives.map(bytesOf)) / sum(eventTopics.map(bytesOf))).toFixed(2)} times the events.`,
)
const rates = [10, 1_000, 100_000]
const perDay = (rate: number) => (rate * 86_400) / recordsPerChat
const figures: ReadonlyArray<readonly [what: string, of: (rate: number) => string]> = [
  ['chats a day', (rate) => number(perDay(rate))],
  [
    'into the log, MiB/s, before replication',
    (rate) => ((rate * loggedPerChat) / recordsPerChat / 1024 ** 2).toFixed(2),
  ],
  ['log, GiB a day, three replicas', (rate) => number((perDay(rate) * loggedPerChat * 3) / 1024 ** 3)],
  [
    'archive, GiB a day, three replicas, permanently',
    (rate) => number((perDay(rate) * archivedPerChat * 3) / 1024 ** 3),
  ],
  ['MongoDB, GiB a day, three members', (rate) => number((perDay(rate) * storedPerChat * 3) / 1024 ** 3)],
  [
    'journal, GiB an hour without Kafka',
    (rate) => ((rate * 3_600 * loggedPerChat) / recordsPerChat / 1024 ** 3).toFixed(2),
  ],
]

// An account of a thousand chats a day, with the default retention.
const month = 30_000
console.log()
row('an account with 30,000 chats a month', 'GiB after a month', 'GiB after a year')
row('---', '---:', '---:')
const inGiB = (bytes: number) => (bytes / 1024 ** 3).toFixed(2)
const eventsPerChat = sum(eventTopics.map(bytesOf)) / count
const kept = ((14 + 1) / 30) * month
row(
  'events on their topics (14 days and a segment of a day), one replica',
  inGiB(kept * eventsPerChat),
  inGiB(kept * eventsPerChat),
)
const commands = ((7 + 1) / 30) * month * (bytesOf('bot-replies') / count)
row('commands (7 days and a segment), one replica', inGiB(commands), inGiB(commands))
row('archive, one replica', inGiB(month * archivedPerChat), inGiB(12 * month * archivedPerChat))
row('MongoDB, one member', inGiB(month * storedPerChat), inGiB(12 * month * storedPerChat))

console.log()
row(`${recordsPerChat.toFixed(1)} records a chat`, ...rates.map((rate) => `${number(rate)} records/s`))
row('---', ...rates.map(() => '---:'))
for (const [what, of] of figures) row(what, ...rates.map(of))
await client.close()
await servers.stop()
process.exit(0)
