/** Keeps every event of the bridge once, in a table of SQLite, prints what is new, and forgets persons who were erased. */
import { DatabaseSync } from 'node:sqlite'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as J from 'fp-ts/lib/Json.js'
import kafkajs, { type KafkaMessage } from 'kafkajs'
import { DomainEvent, ErasureEvent } from 'livechat-bridge-contracts/events/index'
import { describe, problemsOf } from 'livechat-bridge-contracts/problem'
import { ceType, erasureConfirmations, eventTopics } from 'livechat-bridge-contracts/topics'

const { KAFKA_BROKERS = '127.0.0.1:9092', TOPIC_PREFIX = 'livechat.', GROUP = 'my-team' } = process.env
const database = new DatabaseSync(process.env.DATABASE ?? 'events.sqlite')
// What is deleted is overwritten in the file.
database.exec('PRAGMA secure_delete = ON')
database.exec(
  'CREATE TABLE IF NOT EXISTS events (source, id, topic, type, subject, time, data, PRIMARY KEY (source, id)) WITHOUT ROWID',
)
// What this program does not understand, to look at and to read again later: Kafka deletes it after a while.
database.exec(
  `CREATE TABLE IF NOT EXISTS skipped (topic, partition, offset, reason, headers, value,
     PRIMARY KEY (topic, partition, offset)) WITHOUT ROWID`,
)
const insert = database.prepare('INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?, ?, ?, ?)')
const insertSkipped = database.prepare('INSERT OR IGNORE INTO skipped VALUES (?, ?, ?, ?, ?, ?)')
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

/** The table knows each event by its source and id: what comes again changes nothing. */
const keep = (topic: string, { source, id, type, subject, time, data }: DomainEvent) => {
  const { changes } = insert.run(source, id, topic, type, subject, time, JSON.stringify(data))
  if (changes === 1) console.log(`${time} ${type} ${data.accountId}/${subject} ${id}`)
}

/** A record that is not understood is kept as it is, so that no offset is committed of a record that is nowhere. */
const skip = (topic: string, partition: number, { offset, headers = {}, value }: KafkaMessage, reason: string) => {
  const texts = Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, String(text)]))
  const { changes } = insertSkipped.run(topic, partition, Number(offset), reason, JSON.stringify(texts), value)
  if (changes === 1) console.error(`skipped ${topic}/${partition}@${offset}: ${reason}`)
}

/** Whoever was erased is forgotten, as far as this topic tells of them; then the bridge's operators are told so. */
const forget = async (topic: string, { data, subject, time }: ErasureEvent) => {
  const source = `/accounts/${data.accountId}/`
  empty.run(topic, subject, source)
  deleteSkipped.run(topic, subject, source)
  const { accountId, erasureId, clientId } = data
  const whose = { ...(clientId !== undefined && { clientId }), ...('chatId' in data && { chatId: data.chatId }) }
  const confirmation = { accountId, erasureId, ...whose, group: GROUP, erasedAt: new Date().toISOString() }
  const message = { key: `${accountId}/${clientId ?? subject}`, value: JSON.stringify(confirmation) }
  await producer.send({ topic: `${TOPIC_PREFIX}${erasureConfirmations.name}`, messages: [message] })
  console.error(`forgot ${accountId}/${subject} on ${topic}, as asked for at ${time}`)
}

const kafka = new kafkajs.Kafka({ brokers: KAFKA_BROKERS.split(','), logLevel: kafkajs.logLevel.WARN })
const consumer = kafka.consumer({ groupId: GROUP })
const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner })
// Whatever starts this program again has it go on after the last committed offset.
consumer.on(consumer.events.CRASH, ({ payload }) => payload.restart || process.exit(1))
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => consumer.disconnect().then(() => producer.disconnect()))

await producer.connect()
await consumer.connect()
await consumer.subscribe({ topics: eventTopics.map(({ name }) => `${TOPIC_PREFIX}${name}`), fromBeginning: true })
await consumer.run({
  // The offset is committed after this: a crash in between brings the event again, and never loses it.
  eachMessage: async ({ topic, partition, message }) => {
    const event = read(message)
    if (E.isLeft(event)) return skip(topic, partition, message, event.left)
    keep(topic, event.right)
    if (ErasureEvent.is(event.right)) await forget(topic, event.right)
  },
})
