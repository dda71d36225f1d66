/** Keeps every event of the bridge once, in a table of SQLite, prints what is new, and forgets persons who were erased. */
import { DatabaseSync } from 'node:sqlite'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as J from 'fp-ts/lib/Json.js'
import kafkajs, { type KafkaMessage } from 'kafkajs'
import { DomainEvent, ErasureEvent } from 'livechat-bridge-contracts/events/index'
import { describe, problemsOf } from 'livechat-bridge-contracts/problem'
import { ceType, erasureConfirmations, eventTopics } from 'livechat-bridge-contracts/topics'

const { KAFKA_BROKERS = '127.0.0.1:9092', TOPIC_PREFIX = 'livechat.' } = process.env
// With REPLAY: read this topic to its end, as what was on TOPIC, and stop. With OFFSETS: continue on TOPIC there.
const { TOPIC = `${TOPIC_PREFIX}chats`, REPLAY, OFFSETS } = process.env
const team = process.env.GROUP ?? 'my-team'
const groupId = REPLAY === undefined ? team : `${team}-${REPLAY}`
const database = new DatabaseSync(process.env.DATABASE ?? 'events.sqlite')
// What is deleted is overwritten in the file.
database.exec('PRAGMA secure_delete = ON')
database.exec(
  'CREATE TABLE IF NOT EXISTS events (source, id, topic, type, subject, time, data, PRIMARY KEY (source, id)) WITHOUT ROWID',
)
// What this program does not understand, to look at and to read again later: Kafka deletes it after a while.
database.exec(
  `CREATE TABLE IF NOT EXISTS skipped (topic, read_from, partition, offset, reason, headers, value,
     PRIMARY KEY (read_from, partition, offset)) WITHOUT ROWID`,
)
const insert = database.prepare('INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?, ?, ?, ?)')
const insertSkipped = database.prepare('INSERT OR IGNORE INTO skipped VALUES (?, ?, ?, ?, ?, ?, ?)')
// The rows stay without their data: an erased event that comes again must not be taken for a new one.
const empty = database.prepare(
  "UPDATE events SET data = '{}' WHERE topic = ? AND subject = ? AND instr(source, ?) = 1 AND type NOT LIKE '%Erased'",
)
const deleteSkipped = database.prepare(
  "DELETE FROM skipped WHERE topic = ? AND headers ->> 'ce_subject' = ? AND instr(headers ->> 'ce_source', ?) = 1",
)

const types = new Map<string, string>(DomainEvent.types.map(({ name }) => [ceType(name as DomainEvent['type']), name]))

/** The event, or why this program does not understand the record: another event or version, or one that breaks its contract. */
const read = ({ headers = {}, value }: KafkaMessage): E.Either<string, DomainEvent> => {
  const attribute = (name: string) => headers[`ce_${name}`]?.toString()
  const [type, id, source] = [types.get(attribute('type') ?? ''), attribute('id'), attribute('source')]
  if (type === undefined) return E.left('unknown ce_type')
  const [subject, time] = [attribute('subject'), attribute('time')]
  return pipe(
    J.parse(String(value)),
    E.mapLeft(() => 'not JSON'),
    E.map((data) => DomainEvent.decode({ type, id, source, subject, time, data })),
    E.chain(E.mapLeft((errors) => describe(problemsOf(errors)))),
  )
}

/** The records of a replay count as those of the topic that they were on: a later marker there erases them too. */
const topicOf = (from: string) => (from === REPLAY ? TOPIC : from)

/** The table knows each event by its source and id: what comes again changes nothing. */
const keep = (topic: string, { source, id, type, subject, time, data }: DomainEvent) => {
  const { changes } = insert.run(source, id, topic, type, subject, time, JSON.stringify(data))
  if (changes === 1) console.log(`${time} ${type} ${data.accountId}/${subject} ${id}`)
}

/** A record that is not understood is kept as it is, so that no offset is committed of a record that is nowhere. */
const skip = (from: string, partition: number, { offset, headers = {}, value }: KafkaMessage, reason: string) => {
  const texts = JSON.stringify(Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, String(text)])))
  const { changes } = insertSkipped.run(topicOf(from), from, partition, Number(offset), reason, texts, value)
  if (changes === 1) console.error(`skipped ${from}/${partition}@${offset}: ${reason}`)
}

/** Whoever was erased is forgotten, as far as this topic tells of them; then the bridge's operators are told so. */
const forget = async (topic: string, { data, subject, time }: ErasureEvent) => {
  const source = `/accounts/${data.accountId}/`
  empty.run(topic, subject, source)
  deleteSkipped.run(topic, subject, source)
  const { accountId, erasureId, clientId } = data
  const whose = { ...(clientId !== undefined && { clientId }), ...('chatId' in data && { chatId: data.chatId }) }
  const confirmation = { accountId, erasureId, ...whose, group: team, erasedAt: new Date().toISOString() }
  const message = { key: `${accountId}/${clientId ?? subject}`, value: JSON.stringify(confirmation) }
  await producer.send({ topic: `${TOPIC_PREFIX}${erasureConfirmations.name}`, messages: [message] })
  console.error(`forgot ${accountId}/${subject} on ${topic}, as asked for at ${time}`)
}

const kafka = new kafkajs.Kafka({ brokers: KAFKA_BROKERS.split(','), logLevel: kafkajs.logLevel.WARN })
const consumer = kafka.consumer({ groupId })
const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner })
// Whatever starts this program again has it go on after the last committed offset.
consumer.on(consumer.events.CRASH, ({ payload }) => payload.restart || process.exit(1))
/** The partitions of a replay that still have records for this group, each with its end. */
const unread = async (topic: string) => {
  const admin = kafka.admin()
  await admin.connect()
  const committed = (await admin.fetchOffsets({ groupId, topics: [topic] })).flatMap(({ partitions }) => partitions)
  const ends = await admin.fetchTopicOffsets(topic)
  await admin.disconnect()
  const next = new Map(committed.map(({ partition, offset }) => [partition, Number(offset)]))
  const left = ends.filter(({ partition, low, high }) => Math.max(Number(low), next.get(partition) ?? 0) < Number(high))
  return new Map(left.map(({ partition, high }) => [partition, Number(high)]))
}

/** Moves the group to offsets as the command `archive replay` prints them: `0: 1502, 1: 1498`. */
const continueAt = async (offsets: string) => {
  const partitions = offsets.split(',').map((each) => {
    const [partition = '', offset = ''] = each.split(':')
    return { partition: Number(partition), offset: offset.trim() }
  })
  const admin = kafka.admin()
  await admin.connect()
  await admin.setOffsets({ groupId, topic: TOPIC, partitions })
  await admin.disconnect()
}

if (OFFSETS !== undefined) await continueAt(OFFSETS)
const left = REPLAY === undefined ? undefined : await unread(REPLAY)
const topics = REPLAY === undefined ? eventTopics.map(({ name }) => `${TOPIC_PREFIX}${name}`) : [REPLAY]

const stop = async () => {
  if (left?.size === 0) console.error(`${REPLAY} is read to its end`)
  await consumer.disconnect()
  await producer.disconnect()
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop)

await producer.connect()
await consumer.connect()
await consumer.subscribe({ topics, fromBeginning: true })
await consumer.run({
  // The offset is committed after this: a crash in between brings the event again, and never loses it.
  eachMessage: async ({ topic: from, partition, message }) => {
    const event = read(message)
    if (E.isLeft(event)) skip(from, partition, message, event.left)
    else keep(topicOf(from), event.right)
    if (E.isRight(event) && ErasureEvent.is(event.right)) await forget(topicOf(from), event.right)
    if (Number(message.offset) + 1 >= (left?.get(partition) ?? Number.POSITIVE_INFINITY)) left?.delete(partition)
    if (left?.size === 0) setImmediate(stop)
  },
})
if (left?.size === 0) await stop()
