import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { archiveNameOf, eventTopicNames, type TopicName } from '../../../contracts/topics.ts'
import { archivingWorld } from '../../support/archiving-world.ts'
import { accepted, named, nameOf } from '../../support/drill-chats.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'
import { copyBack, copyTopics, loseKafka, type TopicCopy } from '../../support/topic-copies.ts'

const world = await archivingWorld()
const { here, db, kafka, command, ran, telling, forgetArchive } = world
const { start, startRefusing, publish, processed, erase, stop } = world

/** What is copied back. MongoDB has the enrichments. */
const copied: ReadonlyArray<TopicName> = [...eventTopicNames.map(archiveNameOf), 'audit']

const enrich = async (chat: number, content: string | null) => {
  const value = content && JSON.stringify({ customData: [{ title: 'note', content }] })
  right(await kafka.append({ topic: 'enrichments', key: `acme/chatId:${chat}`, value, headers: {} }, 20_000))
}
/** What agents see of each chat. */
const notes = async () =>
  (
    await db
      .collection<{ _id: string; value?: { customData: ReadonlyArray<{ content: string }> } }>('enrichments')
      .find()
      .toArray()
  )
    .flatMap(({ value }) => value?.customData[0]?.content ?? [])
    .sort()
/** The chats and the notes are of the past, and are kept. */
const keeping = { retentionDays: 10_000 }

/** Steps 1 to 3 of the guide: Kafka is new, and has what was copied. */
const restoreKafka = async (copy: TopicCopy) => {
  await loseKafka(here)
  // Kafka needs a moment to delete the topics.
  await eventually('new topics', async () => (await command('topics', '--apply')).code === 0)
  await copyBack(here, copy)
  await forgetArchive()
}
/** The last step: the rebuild says what is lost, and changes nothing until it is forced. */
const rebuild = async (before: ReadonlyArray<string>) => {
  const refused = await command('rebuild', 'all')
  assert.is(refused.code, 1)
  assert.match(
    refused.out,
    /of the deleted topic: the records from \d+ to \d+ are neither in the topic nor in the archive/,
  )
  assert.equal(await named(db), before)
  await ran('rebuild', '--discard')
  await ran('rebuild', 'all', '--force')
}

const drill = suite('Kafka is lost, MongoDB is not, and the guide is followed')
drill.after(stop)

drill('an older copy of the archive brings back what it has, and nobody who was erased since then', async () => {
  const first = await start(keeping)
  await publish([1, 2, 3].map(accepted))
  await Promise.all([1, 2, 3].map((chat) => enrich(chat, `old-${nameOf(chat)}`)))
  await eventually('the notes', async () => (await notes()).length === 3)
  await processed()
  const copy = await copyTopics(here, copied)
  await publish([4].map(accepted))
  await Promise.all([enrich(1, null), enrich(3, 'new')])
  await processed()
  await erase(2)
  await processed()
  await eventually('the newest notes', async () => `${await notes()}` === 'new')
  assert.equal(await telling(nameOf(2)), [])
  await first.stop()

  await restoreKafka(copy)
  const { ready } = await startRefusing('run livechat-bridge rebuild all', keeping)
  await publish([5].map(accepted))
  await ran('archive', 'keys')
  await rebuild([1, 3, 4].map(nameOf))
  const bridge = await ready
  await processed()
  assert.equal(await named(db), [1, 3, 5].map(nameOf))
  assert.equal(await notes(), ['new'])
  assert.equal(await telling(nameOf(2)), [])

  const lacking = await command('erase', 'status')
  assert.match(lacking.out, 'Parts of the erasure: ')
  await erase(2)
  await processed()
  const [, again] = await db.collection<{ _id: string }>('erasures').find().sort({ requestedAt: 1 }).toArray()
  const { out } = await command('erase', 'status', again?._id ?? '')
  assert.match(out, `Erasure ${again?._id} of acme`)
  assert.not.match(out, 'Parts of the erasure: ')
  await bridge.stop()
})

drill('without a copy the views have their documents until the rebuild, and only what is new after it', async () => {
  await restoreKafka([])
  const { ready } = await startRefusing('run livechat-bridge rebuild all', keeping)
  await publish([6].map(accepted))
  await rebuild([1, 3, 5].map(nameOf))
  const bridge = await ready
  await processed()
  assert.equal(await named(db), [6].map(nameOf))
  assert.equal(await notes(), ['new'])
  await bridge.stop()
})

drill.run()
