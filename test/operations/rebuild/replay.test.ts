import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ConsumerSpec } from '../../../src/domain/ports.ts'
import { startReplay, watchReplay } from '../../../src/operations/rebuild/replay.ts'

const replaying = suite('a replay')

/** Of a topic that has everything when the replay begins, and has lost its first records when its consumer begins. */
const given = async (mayLack: boolean) => {
  const specs: ConsumerSpec[] = []
  let low = 0
  const none = async () => {
    throw new Error('is not asked for')
  }
  const replay = await startReplay(
    {
      kafka: {
        consume: async (its) => {
          specs.push(its)
          return { health: () => ({ ok: true, reason: '' }), stop: async () => {}, waiting: () => [] }
        },
        ranges: async () => new Map([[0, { low, high: 10 }]]),
        ...{ committedOffsets: none, forgetGroup: none, readTopic: none, topicIds: none, deadLetter: () => none },
      },
      ...{ restore: undefined, clock: () => 0, signal: new AbortController().signal },
    },
    { group: 'g', topics: ['chats'], from: new Map([['chats/0', 4]]), applyChanges: async () => {}, mayLack },
  )
  const logs = () => new Map([['chats/0', { low, high: 10 }]])
  const watched = watchReplay(replay, () => 0)
  low = 7
  const start = await specs[0]?.startAt?.('chats', 0).catch((error: Error) => error.message)
  return { start, replay, check: () => watched.check(logs()) }
}

replaying('ends where records were deleted before it has read them, and does not begin beyond them', async () => {
  const { start, replay, check } = await given(false)
  const why = 'the records of chats/0 from 4 to 6 were deleted before they were read'
  assert.is(start, why)
  assert.throws(check, why)
  assert.is(replay.positions().get('chats/0'), 4)
})

replaying('goes on beyond them where they may be missing', async () => {
  const { start, check } = await given(true)
  assert.is(start, 7)
  assert.equal(check().places.get('chats/0')?.position, 7)
})

replaying.run()
