import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import { archivingWorld } from '../../support/archiving-world.ts'
import { deleteTopics, recreateTopics } from '../../support/delete-topics.ts'
import { eventually } from '../../support/eventually.ts'
import { anEvent, at } from '../../support/given-events.ts'
import { copyBack, copyTopics } from '../../support/topic-copies.ts'

const { here, db, kafka, command, ran, forgetArchive, refuses, start, publish, processed, erase, stop } =
  await archivingWorld()

const eventsOf = (chat: number): ReadonlyArray<DomainEvent> => {
  const visitor = { number: `7${chat}`, chatsCount: 1, name: `CANARY-${chat}-` }
  const accepted = anEvent('ChatAccepted', `accepted-${chat}`, at('10:00:00'), { chatId: `${chat}`, visitor })
  return [{ ...accepted, subject: `${chat}` } as DomainEvent]
}
const named = async () =>
  (await db.collection<{ visitor?: { name?: string } }>('chats').find().toArray())
    .flatMap(({ visitor }) => visitor?.name ?? [])
    .sort()
const nameOf = (chat: number) => `CANARY-${chat}-`
const place = { ...here, kafka }
/** Steps of the guide. */
const createAgain = async () => {
  await deleteTopics(place, ['archive-chats'])
  await ran('topics', '--apply')
}
const emptied = async () => {
  const deleting = await start({ retentionDays: 0.000_01 })
  await eventually('the deletion', async () =>
    [...(await kafka.ranges('chats')).values()].every(({ low, high }) => low === high),
  )
  await deleting.stop()
}

const drill = suite('an archive topic is lost, and the guide is followed')
drill.after(stop)

drill('a running archiver stops at it, and a copy brings everything back, also if it is appended twice', async () => {
  const before = await start()
  await publish([1, 2, 3].flatMap(eventsOf))
  await processed()
  await before.stop()
  await emptied()
  const copy = await copyTopics(here, ['archive-chats'])
  assert.is(copy.length, 3)

  const running = await start()
  await publish([4].flatMap(eventsOf))
  await processed()
  await erase(2)
  await processed()
  await recreateTopics(place, ['archive-chats'])
  await publish([5].flatMap(eventsOf))
  await refuses(running, 'refuses to read: archive-chats: deleted and created again')
  await running.stop()

  await createAgain()
  // The copying was interrupted, and repeated.
  await copyBack(here, copy.slice(0, 2))
  await copyBack(here, copy)
  await forgetArchive()
  const after = await start()
  await eventually('the archive', async () => (await copyTopics(here, ['archive-chats'])).length >= 5 + 3)
  await processed()
  const expected = [1, 3, 4, 5].map(nameOf)
  assert.equal(await named(), expected)
  await after.stop()

  await ran('archive', 'keys')
  await ran('rebuild', 'all', '--dry-run')
  await ran('rebuild', 'all')
  assert.equal(await named(), expected)
})

drill('without a copy the archive gets what the topics still have, before any of it is deleted', async () => {
  await createAgain()
  await forgetArchive()
  await emptied()

  const rebuilt = await command('rebuild', 'chats')
  assert.match(rebuilt.out, /neither in the topic nor in the archive|The first records are missing in/)
  await ran('rebuild', '--discard')
  await ran('rebuild', 'chats', '--force')
  assert.equal(await named(), [4, 5].map(nameOf))
})

drill.run()
