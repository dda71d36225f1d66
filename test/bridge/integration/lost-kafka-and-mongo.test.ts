import { isDeepStrictEqual } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import { archiveNameOf, eventTopicNames, type TopicName } from '../../../contracts/topics.ts'
import type { Bridge } from '../../../src/app/bridge.ts'
import { foldedViews } from '../../../src/bridge/views/index.ts'
import { archivingWorld, type Copy } from '../../support/archiving-world.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { anEvent, at } from '../../support/given-events.ts'
import { copyBack, copyTopics, loseKafka, type TopicCopy } from '../../support/topic-copies.ts'

const world = await archivingWorld()
const { here, db, kafka, command, ran, telling, forgetArchive, refuses } = world
const { start, publish, processed, erase, dump, restore, stop } = world

const archives = eventTopicNames.map(archiveNameOf)
/** What a copy on another cluster has, as the guide says. */
const copied: ReadonlyArray<TopicName> = [...archives, 'enrichments', 'audit']

const nameOf = (chat: number) => `CANARY-${chat}-`
const eventsOf = (chat: number): ReadonlyArray<DomainEvent> => {
  const visitor = { number: `7${chat}`, chatsCount: 1, name: nameOf(chat) }
  const of = (type: DomainEvent['type'], second: number, part: object) =>
    ({
      ...anEvent(type, `${type}-${chat}`, at(`10:00:0${second}`), { chatId: `${chat}`, visitor, ...part }),
      subject: `${chat}`,
    }) as DomainEvent
  return [of('ChatAccepted', 0, {}), of('OfflineMessageReceived', 1, { offlineMessageId: `o${chat}` })]
}
const noteOf = (chat: number) => `acme/chatId:${chat}`
const enrich = async (chat: number, content: string) => {
  const value = JSON.stringify({ customData: [{ title: 'note', content }] })
  right(await kafka.append({ topic: 'enrichments', key: noteOf(chat), value, headers: {} }, 20_000))
}
/** The chats are of the past, and the notes of old chats are removed. */
const keeping = { retentionDays: 10_000 }
/** Without `audit`, to which every command adds a document. */
const counts = async () =>
  Object.fromEntries(
    await Promise.all(
      foldedViews
        .filter(({ name }) => name !== 'audit')
        .map(async ({ name }) => [name, await db.collection(name).countDocuments()] as const),
    ),
  )

/** Everything is lost; the topics and the database come back from copies. */
const loseBoth = async () => {
  await loseKafka(here)
  await db.dropDatabase()
  // Kafka needs a moment to delete the topics.
  await eventually('new topics', async () => (await command('topics', '--apply')).code === 0)
}
const restoreMongo = async (...copies: ReadonlyArray<Copy>) => {
  for (const copy of copies) {
    for (const name of copy.keys()) await db.collection(name).deleteMany({})
    await restore(copy)
  }
  await forgetArchive()
}
/** The projector of a restored copy refuses until the rebuild, so the bridge is not ready. */
const startRefusing = async () => {
  const up = Promise.withResolvers<Bridge>()
  const ready = start(keeping, up.resolve)
  await refuses(await up.promise, 'run livechat-bridge rebuild all')
  return { ready }
}
/** Step 4 of the guide. */
const rebuild = async () => {
  await ran('archive', 'keys')
  await ran('rebuild', 'all')
}
const expectAll = async (chats: ReadonlyArray<number>) => {
  for (const chat of chats) assert.is((await telling(nameOf(chat))).length > 0, chat !== 2, `chat ${chat}`)
}

const drill = suite('Kafka and MongoDB are both lost, and the guide is followed')
drill.after(stop)

const all = [1, 2, 3, 4, 5]
let topics: TopicCopy = []
let three: Copy = new Map()

drill('older copies of MongoDB bring everything back, and nobody who is erased, even before the rebuild', async () => {
  const first = await start(keeping)
  await publish([1, 2, 3].flatMap(eventsOf))
  await Promise.all([1, 2].map((chat) => enrich(chat, nameOf(chat))))
  await eventually('the notes', async () => (await telling(nameOf(2))).includes('enrichments'))
  await processed()
  await first.stop()
  const whole = await dump()
  const second = await start(keeping)
  await publish([4, 5].flatMap(eventsOf))
  await processed()
  await erase(2)
  await processed()
  await eventually('the erasure', async () => isDeepStrictEqual(await telling(nameOf(2)), []))
  await second.stop()
  three = await dump(['archive_keys', 'erasures', 'erasure_keys'])
  const before = await counts()
  // The copy of this topic is from before the erasure.
  topics = (await copyTopics(here, copied)).filter(({ topic, value }) => topic !== 'enrichments' || value !== null)

  await loseBoth()
  await copyBack(here, topics)
  await ran('topics', '--apply')
  await restoreMongo(whole, three)
  assert.ok((await telling(nameOf(2))).includes('enrichments'), 'the control: the copy has the person')
  const { ready } = await startRefusing()
  await eventually('the erasure', async () => isDeepStrictEqual(await telling(nameOf(2)), []))
  await rebuild()
  const bridge = await ready
  await expectAll(all)
  assert.ok((await telling(nameOf(1))).includes('enrichments'))
  assert.equal(await counts(), before)
  await bridge.stop()
})

drill('three collections bring it back too, even if a bridge has archived new events before the copy', async () => {
  await loseBoth()
  await restoreMongo(three)
  const early = await start(keeping)
  await publish([6].flatMap(eventsOf))
  await processed()
  await early.stop()
  await copyBack(here, topics)
  await ran('topics', '--apply')
  const bridge = await start(keeping)
  await publish([7].flatMap(eventsOf))
  await processed()
  await rebuild()
  await expectAll([...all, 6, 7])
  await bridge.stop()
})

drill.run()
