import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ConsumerSpec } from '../../../../src/bridge/domain/log/consumer.ts'
import { toRecord } from '../../../../src/bridge/kafka/records.ts'
import { startReplay } from '../../../../src/bridge/operations/rebuild/replay.ts'
import { anEvent, at } from '../../../support/given-events.ts'

const replaying = suite('a replay')

/** A replay of a topic that is complete when it begins, and has lost its first records when its consumer begins. */
const given = async (allowGaps: boolean, from = 4) => {
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
          return { health: () => ({ ok: true, reason: '' }), stop: async () => {}, owned: () => [] }
        },
        ranges: async () => new Map([[0, { low, high: 10 }]]),
        committedOffsets: none,
        forgetGroup: none,
        readTopic: none,
        topicIds: none,
        deadLetter: () => none,
        fetchRecord: none,
        // The archive is empty. A replay that already has a position does not read it again.
        ...(from === 0 && {
          fetchRecord: async () => undefined,
          topicIds: async () => new Map(),
          readTopic: async () => E.right(undefined),
        }),
      },
      restore: undefined,
      clock: () => 0,
      signal: new AbortController().signal,
    },
    {
      group: 'g',
      topics: ['chats'],
      from: new Map(from === 0 ? [] : [['chats/0', from]]),
      applyChanges: async () => {},
      findErased: async () => new Set(),
      inViews: async () => ({ id: undefined, reached: new Map() }),
      allowGaps,
    },
  )
  const logs = () => new Map([['chats/0', { low, high: 10 }]])
  low = 7
  const start = await specs[0]?.startAt?.('chats', 0).catch((error: Error) => error.message)
  return { start, replay, check: () => replay.check(logs()), handle: specs[0]?.handle ?? none }
}
const owned = { isCurrent: () => true, done: () => {}, pause: () => () => {} }

replaying('ends if records were deleted before it has read them, and does not start after them', async () => {
  const { start, replay, check } = await given(false)
  const why = 'the records of chats/0 from 4 to 6 were deleted before they were read'
  assert.is(start, why)
  assert.throws(check, why)
  assert.is(replay.positions().get('chats/0'), 4)
})

replaying('continues after them if they may be missing', async () => {
  const { start, check } = await given(true)
  assert.is(start, 7)
  assert.equal(check().places.get('chats/0')?.position, 7)
})

replaying('knows the topics of which it could read any record, even before an interruption', async () => {
  const begun = await given(true, 0)
  const key = Buffer.from('acme/2037')
  const record = { ...({ topic: 'chats', partition: 0, offset: 7, timestamp: 0 } as const), key, headers: {} }
  await begun.handle({ topic: 'chats', partition: 0, records: [{ ...record, value: Buffer.from('{') }] }, owned)
  assert.equal([...begun.replay.topicsRead()], [])
  const { value, headers } = toRecord(anEvent('ChatAccepted', 'e1', at('10:00:00')))
  const bytes = Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, Buffer.from(header)]))
  const told = { ...record, offset: 8, value: Buffer.from(`${value}`), headers: bytes }
  await begun.handle({ topic: 'chats', partition: 0, records: [told] }, owned)
  assert.equal([...begun.replay.topicsRead()], ['chats'])
  assert.equal([...(await given(true)).replay.topicsRead()], ['chats'])
})

replaying.run()
