import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createChat } from '../../../src/bot/chat.ts'
import { defaultLimits, defaultTurns } from '../../../src/bot/conversation.ts'
import { text } from '../../../src/bot/replies.ts'
import { worker } from '../../../src/bot/worker.ts'
import type { HandleSlice } from '../../../src/bridge/domain/log/consumer.ts'
import type { IncomingRecord } from '../../../src/bridge/domain/log/record.ts'
import { unmeasured } from '../../../src/bridge/domain/metrics.ts'
import { fromCommand, recordReader } from '../../../src/bridge/kafka/records.ts'
import { classify } from '../../../src/bridge/mongo/classify.ts'
import { semaphore } from '../../../src/bridge/shared/semaphore.ts'
import { projector } from '../../../src/bridge/views/projector.ts'
import { dataOfVersions, headersOfVersion, olderMessage } from '../../contracts/older-message.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { testDatabase } from '../../support/mongo.ts'
import { plainClient, withAdmin } from '../../support/plain-consumer.ts'
import { servers } from '../../support/servers.ts'
import { silent } from '../../support/silent-log.ts'
import { connectTestKafka, newPrefix } from '../kafka/connect.ts'

const prefix = newPrefix()
const kafka = await connectTestKafka(prefix)
const database = await testDatabase()
const mongo = database.connect()
const decode = recordReader(olderMessage)
right(await kafka.ensureTopics())

const now = new Date().toISOString()
const { brokers } = await servers()
const producer = plainClient(brokers).producer()
await producer.connect()
for (const [i, data] of dataOfVersions.entries())
  await producer.send({
    topic: `${prefix}bot-conversations`,
    messages: [{ key: 'acme/2037', value: JSON.stringify(data), headers: headersOfVersion(i + 1, now) }],
  })
await producer.disconnect()

const follow = (group: string, topic: IncomingRecord['topic'], handle: HandleSlice) =>
  kafka.consume({ group, topics: [topic], commit: 'when-handled', handle })

const versions = suite('old records on a real topic')

versions.after(async () => {
  await kafka.stop()
  await database.drop()
  // After the tests, all records are checked against the published schemas, which do not know these versions.
  await withAdmin(brokers, async (admin) => {
    const topics = (await admin.listTopics()).filter((name) => name.startsWith(prefix))
    await admin.deleteTopics({ topics })
  })
})

versions('the projector folds every version into the views', async () => {
  const deadLetter = kafka.deadLetter('projector')
  const { applyChanges } = mongo
  const handle = projector({
    findErased: async () => new Set(),
    decode,
    applyChanges,
    classify,
    deadLetter,
    measure: unmeasured,
    hasRoom: () => true,
    clock: Date.now,
    wallMs: Date.now,
  })
  const consumer = await follow('projector', 'bot-conversations', handle)
  const timeline = database.db.collection<{ type: string; data: unknown }>('timeline')
  await eventually('three entries of timeline', async () => (await timeline.countDocuments()) === 3)
  await consumer.stop()
  const documents = await timeline.find().sort({ offset: 1 }).toArray()
  const { message, ...ids } = dataOfVersions[2]
  const dataInView = { ...ids, message: { ...message, timestamp: new Date(message.timestamp) } }
  assert.equal(
    documents.map(({ type, data }) => ({ type, data })),
    dataOfVersions.map(() => ({ type: 'ClientMessageReceived', data: dataInView })),
  )
  assert.equal(kafka.seen.deadLetters, [])
})

versions('a bot of the kit answers every version', async () => {
  const bot = {
    onMessage: ({ data }: { data: { message: { text?: string } } }) => text(`You said ${data.message.text}`),
  }
  const stopping = new AbortController().signal
  const { handle } = worker({
    decode,
    append: kafka.append,
    sleep: (ms: number) => sleep(ms),
    log: silent,
    forget: async () => undefined,
    stopping,
    newChat: () =>
      createChat({
        handlers: bot,
        group: 'bot',
        limits: defaultLimits,
        turns: defaultTurns,
        acquire: semaphore(defaultLimits.atOnce),
        monotonic: () => performance.now(),
        now: () => Date.parse(now),
        sleep: (ms: number) => sleep(ms),
        readHistory: async () => [],
        log: silent,
        ignore: () => {},
        notice: () => {},
        stopping,
      }),
  })
  const replies: IncomingRecord[] = []
  const answering = await follow('bot', 'bot-conversations', handle)
  const reading = await follow('reader', 'bot-replies', async ({ records }) => void replies.push(...records))
  await eventually('three replies', () => replies.length === 3)
  await Promise.all([answering.stop(), reading.stop()])
  assert.equal(
    replies.map((record) => right(fromCommand(record)).inReplyTo),
    dataOfVersions.map((_, i) => `message-v${i + 1}`),
  )
})

versions.run()
