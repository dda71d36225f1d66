import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { outage } from './support/outage.ts'

const test = suite('recovery from an outage')

const known = await outage({ offered: 4, capacity: 10, awayFor: 60, fifthFor: 60 })

test('nothing is lost, however long it had to wait', () => assert.is(known.applied, known.replies))

test('in each minute, attempts are at most 1.1 times the first attempts and a reserve of six', () => {
  const isStorm = ({ attempts, firsts }: (typeof known.minutes)[number]) => attempts > 1.1 * firsts + 6
  assert.equal(known.minutes.filter(isStorm), [])
})

test('the service is at its full rate within a minute', () => {
  const full = Array.from({ length: 60 }, (_, second) => known.rateAt(known.isFull + second))
  assert.ok(
    full.some((rate) => rate >= 9),
    `a second: ${full.join(' ')}`,
  )
})

const crowded = await outage({ offered: 8, capacity: 20, awayFor: 60, fifthFor: 150, chats: 100 })

test('if each chat has many waiting replies, all are delivered a minute after the backlog could be finished', () => {
  const { replies, applied, minutes, isFull, drainedAt } = crowded
  const backlog = (60 + 150 * (4 / 8)) * 8
  assert.is(applied, replies)
  assert.ok((drainedAt ?? Number.POSITIVE_INFINITY) < isFull + backlog / (20 - 8) + 60, `${drainedAt} s`)
  const isStorm = ({ attempts, firsts }: (typeof minutes)[number]) => attempts > 1.1 * firsts + 6
  assert.equal(minutes.filter(isStorm), [])
})

test.run()
