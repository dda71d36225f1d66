import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TopicName } from '../../../contracts/topics.ts'
import { furthest, type Position } from '../../../src/bridge/domain/log/positions.ts'
import { topicsReadIn } from '../../../src/bridge/mongo/topics-read.ts'
import { testDatabase } from '../../support/mongo.ts'

const { db, connect, drop } = await testDatabase()
const topicsRead = connect().query(topicsReadIn)

const topic: TopicName = 'chats'
const { positions, keepPositions } = topicsRead.positionsOf('views')
const keep = (position: Position) => keepPositions(new Map([[topic, new Map([[0, position]])]]))
const kept = async () => (await positions(topic))(0)
const begin = async () => {
  await db.collection('topics_read').deleteMany({})
  await topicsRead.changed('views', new Map([[topic, 'a']]))
}

const test = suite('positions and marks, as MongoDB keeps them')
test.after(drop)

const all: ReadonlyArray<Position> = [
  { offset: 0 },
  { offset: 100 },
  { epoch: 0, offset: 9 },
  { epoch: 0, offset: 100 },
  { epoch: 2, offset: 56 },
  { epoch: 10, offset: 9 },
  { epoch: 10, offset: 3_000_000_000 },
]
for (const first of all)
  for (const second of all)
    test(`of ${JSON.stringify(first)} and then ${JSON.stringify(second)} the greater one is kept`, async () => {
      await begin()
      await keep(first)
      await keep(second)
      assert.equal(await kept(), furthest(first, second))
    })

test('writers at the same time leave the greatest one', async () => {
  await begin()
  await Promise.all([...all, ...all.toReversed()].map(keep))
  assert.equal(await kept(), { epoch: 10, offset: 3_000_000_000 })
})

test('a rebuild says where the views are, also if the log that had more is no longer there', async () => {
  await begin()
  await keep({ epoch: 10, offset: 1_000 })
  await topicsRead.remember('views', [[topic, 'a']], new Map([[topic, new Map([[0, { epoch: 3, offset: 500 }]])]]))
  assert.equal(await kept(), { epoch: 3, offset: 500 })
  await topicsRead.remember('views', [[topic, 'a']])
  assert.equal(await kept(), { epoch: 3, offset: 500 })
  await topicsRead.remember('views', [[topic, 'b']])
  assert.is(await kept(), undefined)
})

test('a reader that no longer owns its partition does not bring back the mark of an older epoch', async () => {
  await begin()
  const newer = { epoch: 4, offset: 50, timestamp: 2_000 }
  await topicsRead.keepMark(topic, 0, newer)
  await topicsRead.keepMark(topic, 0, { epoch: 3, offset: 90, timestamp: 1_000 })
  assert.equal(await topicsRead.marks(topic), new Map([[0, newer]]))
})

test.run()
