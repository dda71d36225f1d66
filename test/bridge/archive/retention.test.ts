import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventTopics } from '../../../contracts/topics.ts'
import { dueOf, retention } from '../../../src/bridge/archive/retention.ts'

const deleting = suite('the retention')

type Deps = Parameters<typeof retention>[0]

/** One round of deletions. Partition 0 of every topic has the records 0 to 9, all of them old. */
const round = async ({
  over: ended,
  ...given
}: Partial<Deps> & Pick<Deps, 'committed'> & { readonly over?: Promise<void> }) => {
  const deleted: string[] = []
  const warned: object[] = []
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const running = retention({
    days: 14,
    deletes: true,
    now: async () => 0,
    changedArchives: async () => [],
    archivedTo: async () => new Map([[0, 10]]),
    ranges: async () => new Map([[0, { low: 0, high: 10 }]]),
    offsetsAt: async () => new Map([[0, 10]]),
    deleteBefore: async (topic, offsets) => void deleted.push(`${topic} ${offsets.get(0)}`),
    reasonOf: (error) => (error instanceof Error ? error.message : ''),
    sleep: async () => resolve(),
    log: { info: () => undefined, warn: (fields) => void warned.push(fields) },
    ...given,
  })
  await (ended ?? over)
  await running.stop()
  const health = await running.health()
  return { deleted, warned, health, reason: health.reason, overdue: running.overdue().get('chats') }
}
const at =
  (archiver: number | undefined, projector: number | undefined): Deps['committed'] =>
  async (group) => {
    const offset = group === 'archiver' ? archiver : projector
    return new Map(offset === undefined ? [] : [[0, offset]])
  }

deleting('deletes old records up to the lowest committed offset of all groups', () => {
  const range = { low: 2, high: 10 }
  assert.equal(
    [
      dueOf(range, 8, [9, 9]),
      dueOf(range, 8, [9, 5]),
      dueOf(range, 8, [9, undefined]),
      dueOf(range, undefined, [9, 9]),
    ],
    [
      { before: 8, old: 6, overdue: 0 },
      { before: 5, old: 6, overdue: 3 },
      { before: 2, old: 6, overdue: 6 },
      { before: 2, old: 0, overdue: 0 },
    ],
  )
})

deleting('keeps records that the projector has not processed, and reports them', async () => {
  const { deleted, health, reason, overdue } = await round({ committed: at(10, 4) })
  assert.equal([deleted[0], overdue], ['chats 4', 6])
  assert.equal([health.ok, health.isLimited], [true, true])
  assert.match(reason, /6 of chats \(not yet processed by projector\)/)
})

deleting('deletes nothing from a partition for which a group has no offset', async () => {
  const { deleted, reason } = await round({ committed: at(undefined, undefined) })
  assert.equal(deleted, [])
  assert.match(reason, /10 of chats \(not yet processed by archiver and projector\)/)
})

deleting(
  'continues with the other topics if one cannot be deleted, and reports all records that remain in it',
  async () => {
    const deleted: string[] = []
    const { warned, reason, overdue } = await round({
      committed: at(10, 10),
      deleteBefore: async (topic) => {
        if (topic === 'chats') throw new Error('not allowed')
        deleted.push(topic)
      },
    })
    assert.is(deleted.length, eventTopics.length - 1)
    assert.equal([warned, overdue], [[{ topic: 'chats', reason: 'not allowed' }], 10])
    assert.match(reason, /^chats: not allowed; records older than 14 days are not deleted: 10 of chats$/)
  },
)

deleting('looks again soon after a failure, and then no longer reports it', async () => {
  const slept: number[] = []
  const said: string[] = []
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const away = () => slept.length === 0
  const { health, warned } = await round({
    committed: at(10, 10),
    ranges: async () => {
      if (away()) throw new Error('MongoDB cannot be reached')
      return new Map([[0, { low: 10, high: 10 }]])
    },
    log: { info: (_, message) => void said.push(message ?? ''), warn: () => undefined },
    sleep: async (ms) => {
      slept.push(ms)
      if (slept.length === 2) resolve()
    },
    over,
  })
  assert.equal([health, warned, slept], [{ ok: true, reason: 'up to date' }, [], [2_000, 60_000]])
  assert.equal(
    said,
    eventTopics.map(() => 'the retention can check the topic again'),
  )
})

deleting('deletes nothing from a topic whose archive was deleted and created again, but from the others', async () => {
  const { deleted, reason } = await round({ committed: at(10, 10), changedArchives: async () => ['archive-chats'] })
  assert.is(deleted.length, eventTopics.length - 1)
  assert.match(reason, /archive-chats: deleted and created again/)
})

deleting('deletes nothing that the archive does not have, whatever the archiver has committed', async () => {
  const { deleted, overdue, reason } = await round({ committed: at(10, 10), archivedTo: async () => new Map([[0, 3]]) })
  assert.equal([deleted[0], overdue], ['chats 3', 7])
  assert.match(reason, /7 of chats \(not yet processed by archiver\)/)
  assert.equal((await round({ committed: at(10, 10), archivedTo: async () => new Map([[0, 0]]) })).deleted, [])
})

deleting.run()
