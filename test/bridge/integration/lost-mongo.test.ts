import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { archivingWorld } from '../../support/archiving-world.ts'
import { accepted, named, nameOf } from '../../support/drill-chats.ts'
import { right } from '../../support/either.ts'
import { eventually } from '../../support/eventually.ts'

const world = await archivingWorld()
const { db, kafka, command, ran, telling, start, startRefusing, publish, processed, emptied, erase } = world
const { dump, restore, stop } = world

const enrich = async (chat: number) => {
  const value = JSON.stringify({ customData: [{ title: 'note', content: nameOf(chat) }] })
  right(await kafka.append({ topic: 'enrichments', key: `acme/chatId:${chat}`, value, headers: {} }, 20_000))
}
/** The chats and the notes are of the past, and are kept. */
const keeping = { retentionDays: 10_000 }

const drill = suite('MongoDB is lost without any copy, and the guide is followed')
drill.after(stop)

drill('all that the topics have comes back, but nobody who is erased', async () => {
  const first = await start(keeping)
  await publish([1, 2].map(accepted))
  await Promise.all([1, 2].map(enrich))
  await eventually('the notes', async () => (await telling(nameOf(2))).includes('enrichments'))
  await processed()
  await erase(2)
  await processed()
  await eventually('the erasure', async () => (await telling(nameOf(2))).length === 0)
  await first.stop()
  await db.dropDatabase()

  const bridge = await start(keeping)
  await processed()
  await ran('archive', 'keys')
  await ran('rebuild', 'all')
  assert.equal(await named(db), [nameOf(1)])
  assert.ok((await telling(nameOf(1))).includes('enrichments'))
  assert.equal(await telling(nameOf(2)), [])
  assert.match((await command('erase', 'status')).out, 'unknown: restored from the markers of the erasure')
  await bridge.stop()
})

drill('what only the archive has is lost once that is accepted, and the bridge goes on', async () => {
  await emptied()
  await db.dropDatabase()
  const { ready } = await startRefusing('MongoDB has neither the data key', keeping)
  await publish([3].map(accepted))
  assert.match((await command('archive', 'keys')).out, 'chats  acme/1  records: 1')
  await ran('archive', 'keys', '--accept-loss')
  await ran('rebuild', 'all')
  const bridge = await ready
  await processed()
  assert.equal(await named(db), [nameOf(3)])
  assert.is(await db.collection('chats').countDocuments(), 3)
  assert.equal(await telling(nameOf(2)), [])
  await bridge.stop()
})

drill('receipts without the key of their HMACs are refused, because they would recognise nobody', async () => {
  const receipts = await dump(['archive_keys', 'erasures'])
  const key = await dump(['erasure_keys'])
  await db.dropDatabase()
  await restore(receipts)
  const { ready } = await startRefusing('erasure_keys has no key for receipts', keeping)
  assert.equal(await named(db), [])
  // Without a copy of the key.
  await db.collection('erasures').drop()
  await db.collection<{ _id: string }>('topics_read').deleteOne({ _id: 'erasures' })
  const bridge = await ready
  await eventually('the receipts', async () =>
    (await command('erase', 'status')).out.includes('unknown: restored from the markers of the erasure'),
  )
  await bridge.stop()

  await db.dropDatabase()
  await restore(receipts)
  await restore(key)
  await (await start(keeping)).stop()
})

drill.run()
