/** Keeps every event of the bridge once, in a table of SQLite, and prints what is new. */
import { DatabaseSync } from 'node:sqlite'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as J from 'fp-ts/lib/Json.js'
import kafkajs, { type KafkaMessage } from 'kafkajs'
import { DomainEvent } from 'livechat-bridge/contracts/events/index'
import { ceType, eventTopics } from 'livechat-bridge/contracts/topics'

const { KAFKA_BROKERS = 'localhost:9092', TOPIC_PREFIX = 'livechat.', GROUP = 'my-team' } = process.env
const database = new DatabaseSync(process.env.DATABASE ?? 'events.sqlite')
database.exec(
  'CREATE TABLE IF NOT EXISTS events (source, id, type, subject, time, data, PRIMARY KEY (source, id)) WITHOUT ROWID',
)
const insert = database.prepare('INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?, ?, ?)')

const types = new Map<string, string>(DomainEvent.types.map(({ name }) => [ceType(name as DomainEvent['type']), name]))

/** The event, or what is wrong; nothing for what this program does not know: another event, or another version of one. */
const read = ({ headers = {}, value }: KafkaMessage): E.Either<string, DomainEvent> | undefined => {
  const attribute = (name: string) => headers[`ce_${name}`]?.toString()
  const [type, id, source] = [types.get(attribute('type') ?? ''), attribute('id'), attribute('source')]
  if (type === undefined) return undefined
  const [subject, time] = [attribute('subject'), attribute('time')]
  return pipe(
    J.parse(String(value)),
    E.mapLeft(() => 'not JSON'),
    E.map((data) => DomainEvent.decode({ type, id, source, subject, time, data })),
    E.chain(E.mapLeft(() => `not a ${type} of the contract`)),
  )
}

/** The table knows each event by its source and id: what comes again changes nothing. */
const keep = ({ source, id, type, subject, time, data }: DomainEvent) => {
  const { changes } = insert.run(source, id, type, subject, time, JSON.stringify(data))
  if (changes === 1) console.log(`${time} ${type} ${data.accountId}/${subject} ${id}`)
}

const kafka = new kafkajs.Kafka({ brokers: KAFKA_BROKERS.split(','), logLevel: kafkajs.logLevel.WARN })
const consumer = kafka.consumer({ groupId: GROUP })
// Whatever starts this program again has it go on after the last committed offset.
consumer.on(consumer.events.CRASH, ({ payload }) => payload.restart || process.exit(1))
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => consumer.disconnect())

await consumer.connect()
await consumer.subscribe({ topics: eventTopics.map(({ name }) => `${TOPIC_PREFIX}${name}`), fromBeginning: true })
await consumer.run({
  // The offset is committed after this: a crash in between brings the event again, and never loses it.
  eachMessage: async ({ topic, partition, message }) => {
    const event = read(message)
    if (event === undefined) return
    if (E.isRight(event)) keep(event.right)
    else console.error(`passed over ${topic}/${partition}@${message.offset}: ${event.left}`)
  },
})
