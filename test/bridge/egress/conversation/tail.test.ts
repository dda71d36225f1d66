import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Fact } from '../../../../src/bridge/domain/conversation-facts.ts'
import { conversationTail } from '../../../../src/bridge/egress/conversation/tail.ts'

const viewsTo = (offset: number) => ({ offset, isOfThisLog: true })

const test = suite('the tail of the log')

const fact = (id: string): Fact => ({ id, at: new Date('2026-01-31T12:00:00.000Z'), kind: 'joined' })
const ids = (facts: ReadonlyArray<Fact>) => facts.map(({ id }) => id)

test("has a chat's facts after an offset, in the order of the log", () => {
  const tail = conversationTail()
  tail.begin(0, viewsTo(5))
  tail.add(0, 'a', fact('f5'), 5)
  tail.add(0, 'b', fact('f6'), 6)
  tail.add(0, 'a', fact('f7'), 7)
  assert.equal(
    [ids(tail.after(0, 'a', -1)), ids(tail.after(0, 'a', 5)), ids(tail.after(1, 'a', -1))],
    [['f5', 'f7'], ['f7'], []],
  )
})

test('a repeated fact is kept at its first offset', () => {
  const tail = conversationTail()
  for (const [id, offset] of [
    ['f', 1],
    ['g', 2],
    ['f', 3],
  ] as const)
    tail.add(0, 'a', fact(id), offset)
  assert.equal(ids(tail.after(0, 'a', -1)), ['f', 'g'])
})

test('a remembered outcome is last until the log has it, then it is at its offset', () => {
  const tail = conversationTail()
  tail.begin(0, viewsTo(0))
  tail.remember(0, 'a', fact('own'))
  assert.equal(ids(tail.after(0, 'a', 100)), ['own'])
  tail.add(0, 'a', fact('f1'), 1)
  tail.add(0, 'a', fact('own'), 2)
  tail.add(0, 'a', fact('f3'), 3)
  assert.equal([ids(tail.after(0, 'a', -1)), ids(tail.after(0, 'a', 100))], [['f1', 'own', 'f3'], []])
})

test('events that the views contain may be evicted; the floor shows up to where', () => {
  const tail = conversationTail()
  tail.begin(0, viewsTo(0))
  for (let i = 0; i < 4; i += 1) tail.add(0, 'a', fact(`f${i}`), i)
  tail.evict(0, viewsTo(2))
  tail.evict(0, viewsTo(1))
  assert.equal([ids(tail.after(0, 'a', -1)), tail.floor(0)], [['f2', 'f3'], 2])
})

test('after a new start of reading the tail is empty', () => {
  const tail = conversationTail()
  tail.begin(0, viewsTo(0))
  tail.add(0, 'a', fact('f0'), 0)
  tail.remember(0, 'a', fact('own'))
  tail.begin(0, viewsTo(9))
  assert.equal([ids(tail.after(0, 'a', -1)), tail.floor(0)], [[], 9])
})

test('an offset is reached once everything before it has been read, even after a new start of reading', async () => {
  const tail = conversationTail()
  const reached: number[] = []
  const wait = (offset: number) => void tail.reached(0, offset).then(() => reached.push(offset))
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  wait(3)
  tail.begin(0, viewsTo(2))
  wait(2)
  wait(5)
  await settle()
  assert.equal(reached, [2])
  tail.advance(0, 3)
  await settle()
  assert.equal(reached, [2, 3])
  tail.advance(0, 7)
  await settle()
  assert.equal(reached, [2, 3, 5])
})

test('above its byte limit the oldest facts are evicted, and it is incomplete until the views contain them', () => {
  const forgotten: number[] = []
  const tail = conversationTail((partition) => void forgotten.push(partition), 20_000)
  tail.begin(0, viewsTo(0))
  for (let i = 0; i < 1000; i += 1) tail.add(0, `chat-${i % 10}`, fact(`f${i}`), i)
  const left = Array.from({ length: 10 }, (_, i) => ids(tail.after(0, `chat-${i}`, -1))).flat()
  assert.ok(left.length > 10 && left.length < 70, `${left.length}`)
  assert.ok(left.includes('f999') && !left.includes('f0'))
  assert.equal([forgotten.length > 0, tail.isWhole(0)], [true, false])
  tail.evict(0, viewsTo(500))
  assert.is(tail.isWhole(0), false)
  tail.evict(0, viewsTo(1000))
  assert.is(tail.isWhole(0), true)
})

test('the place of a document in a log that has lost its end is before the first record of a newer epoch', () => {
  const tail = conversationTail()
  tail.begin(0, viewsTo(28))
  for (const [offset, epoch] of [
    [28, 4],
    [29, 4],
    [30, 6],
    [31, 6],
  ] as const)
    tail.enter(0, { offset, epoch })

  assert.equal(
    [{ offset: 39, epoch: 4 }, { offset: 29, epoch: 4 }, { offset: 31, epoch: 6 }, { offset: 39 }].map((place) =>
      tail.placeOf(0, place),
    ),
    [29, 29, 31, 39],
  )
})

test('a document of another log has no place, and nothing is evicted for it', () => {
  const tail = conversationTail()
  tail.begin(0, { offset: 0, isOfThisLog: false })
  tail.evict(0, { offset: 50, isOfThisLog: false })

  assert.equal([tail.placeOf(0, { offset: 39, epoch: 4 }), tail.floor(0)], [-1, 0])
})

test.run()
