import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import { eventTopics } from '../../../contracts/topics.ts'
import type { ErasureDocument } from '../../../contracts/views/erasure.ts'
import { archivingWorld, type Copy } from '../../support/archiving-world.ts'
import { eventually } from '../../support/eventually.ts'
import { anEvent, at } from '../../support/given-events.ts'
import { readTopics } from '../../support/plain-consumer.ts'

const historyToken = 'history-token-0123456789'
const world = await archivingWorld({ bot: { historyToken } })
const { here, db, kafka, collections, command, ran, telling } = world
const { start, publish, processed, erase, dump, restore, stop } = world

const secretOf = (chat: number) => `CANARY-of-chat-${chat}-`
const eventsOf = (chat: number): ReadonlyArray<DomainEvent> => {
  const secret = secretOf(chat)
  const visitor = { number: `7${chat}`, chatsCount: 1, name: secret }
  const of = (type: DomainEvent['type'], second: number, part: object) =>
    ({
      ...anEvent(type, `${type}-${chat}`, at(`10:00:0${second}`), { chatId: `${chat}`, ...part }),
      subject: `${chat}`,
    }) as DomainEvent
  return [
    of('ChatAccepted', 0, { visitor }),
    of('OfflineMessageReceived', 1, { visitor, message: secret, offlineMessageId: `o${chat}` }),
    of('ClientMessageReceived', 2, {
      clientId: `c${chat}`,
      message: { type: 'TEXT', text: secret, timestamp: at('10:00:02') },
    }),
    of('ChatFinished', 3, { visitor }),
  ]
}
const restoreOver = async (copy: Copy) => {
  for (const name of await collections()) await db.collection(name).deleteMany({})
  await restore(copy)
}
const tellingOf = (chat: number) => telling(secretOf(chat))
const receipts = () => db.collection<ErasureDocument>('erasures').find().sort({ requestedAt: 1 }).toArray()
const archived = async () => (await readTopics(here.brokers, here.prefix, ['archive-chats'])).records

const older = [1, 2, 3]
const newer = Array.from({ length: 20 }, (_, i) => 10 + i)

const restoring = suite('MongoDB is restored from a copy that is older than chats and erasures')
restoring.after(stop)

restoring('nobody who is erased can be read again, and nothing is lost that Kafka still has', async () => {
  const before = await start()
  await publish(older.flatMap(eventsOf))
  await processed()
  const copy = await dump()
  await publish(newer.flatMap(eventsOf))
  await processed()
  await erase(2)
  await erase(15)
  await processed()
  const [first, second] = await receipts()
  await before.stop()
  await restoreOver(copy)
  assert.ok((await tellingOf(2)).length > 0, 'the control: the copy has the person')

  const ingress = await here.start(['ingress'])
  const historyOf = async (chat: number) =>
    (
      await fetch(`${ingress.url}/history/acme/${chat}`, { headers: { authorization: `Bearer ${historyToken}` } })
    ).text()
  await eventually('a history', async () => (await historyOf(1)).includes(secretOf(1)))
  assert.not.match(await historyOf(2), secretOf(2))
  await ingress.stop()

  await restoreOver(copy)
  assert.ok((await tellingOf(2)).length > 0)
  // Before any bridge runs.
  const exported = await command('export', '--account', 'acme', '--chat', '2')
  assert.not.match(exported.out + exported.err, secretOf(2))
  assert.equal(await tellingOf(2), [])

  const copies = (await archived()).length
  const after = await start()
  await processed()
  await eventually('the second copies', async () => (await archived()).length > copies)
  await processed()
  assert.equal(
    (await receipts()).map(({ _id, accountId, state, markers, requestedAt }) => ({
      _id,
      accountId,
      state,
      markers,
      requestedAt,
    })),
    [first, second].map((receipt) => ({
      _id: receipt?._id,
      accountId: 'acme',
      state: 'published',
      markers: receipt?.markers,
      requestedAt: receipt?.requestedAt,
    })),
  )
  const isKept = (chat: number) => chat !== 2 && chat !== 15
  const keptChats = () =>
    db
      .collection('chats')
      .find({ chatId: { $in: [...older, ...newer].filter(isKept).map(String) } })
      .sort({ _id: 1 })
      .toArray()
  // Kafka's committed offsets are ahead of the copy.
  await eventually('what happened after the copy', async () => (await keptChats()).length === 21)
  await eventually('all of it', async () => (await keptChats()).every(({ state }) => state === 'finished'))
  await after.stop()
  const withoutRebuild = await keptChats()

  await ran('archive', 'keys')
  await ran('rebuild', 'all')
  assert.equal(await keptChats(), withoutRebuild)
  for (const chat of [...older, ...newer]) assert.is((await tellingOf(chat)).length > 0, isKept(chat), `chat ${chat}`)
})

restoring('the archive alone has it too, also for a replay, once the topics are empty', async () => {
  const deleting = await start({ retentionDays: 0.000_01 })
  await eventually('the deletion', async () => {
    const all = await Promise.all(eventTopics.map(({ name }) => kafka.ranges(name)))
    return all.flatMap((of) => [...of.values()]).every(({ low, high }) => low === high)
  })
  await deleting.stop()
  await ran('rebuild', 'all')
  for (const chat of [...older, ...newer])
    assert.is((await tellingOf(chat)).length > 0, chat !== 2 && chat !== 15, `chat ${chat}`)
  const into = `${here.prefix}replayed`
  await ran('archive', 'replay', 'chats', '--into', into)
  const { records } = await readTopics(here.brokers, into, ['' as never])
  const text = records.map(({ value }) => `${value}`).join('\n')
  for (const chat of [...older, ...newer]) assert.is(text.includes(secretOf(chat)), chat !== 2 && chat !== 15)
  const events = records.filter(({ headers }) => `${headers.ce_type}` === 'livechat.ChatAccepted.v1')
  assert.is(events.length, older.length + newer.length)
})

restoring('what no topic has any more is lost, and the archiver says so until that is accepted', async () => {
  await db.collection<{ _id: string }>('archive_keys').deleteOne({ _id: 'chats/acme/1' })
  await db.collection('topics_read').deleteOne({ _id: 'erasures' } as object)
  const keys = await command('archive', 'keys')
  assert.is(keys.code, 1)
  assert.match(keys.out, 'Nothing has these records any more.')
  await ran('archive', 'keys', '--accept-loss')
  await ran('rebuild', 'chats')
  assert.not.ok((await tellingOf(1)).includes('chats'))
  assert.ok((await tellingOf(10)).includes('chats'))
})

restoring.run()
