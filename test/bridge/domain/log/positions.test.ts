import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  furthest,
  intactUpTo,
  type LogMark,
  type LogState,
  logMarks,
  marksBefore,
  type Position,
} from '../../../../src/bridge/domain/log/positions.ts'
import type { IncomingRecord } from '../../../../src/bridge/domain/log/record.ts'

const recordAt = (offset: number, epoch: number): IncomingRecord => ({
  topic: 'chats',
  partition: 0,
  offset,
  epoch,
  timestamp: 1_000 + offset,
  key: null,
  value: null,
  headers: {},
})

const given = (verdict: LogState = { kind: 'intact' }) => {
  const stored = new Map<number, LogMark>()
  const kept: LogMark[] = []
  const marks = logMarks({
    marks: async () => stored,
    keepMark: async (_, partition, mark) => {
      stored.set(partition, mark)
      kept.push(mark)
    },
    compareLog: async (_, of) => new Map([...of.keys()].map((partition) => [partition, verdict])),
  })
  return { ...marks, stored, kept }
}

const marks = suite('marks of the logs from which the views are made')

marks('the first record of each leader epoch is stored before it is folded', async () => {
  const { before, kept } = given()

  await before([recordAt(1, 4), recordAt(2, 4)])
  await before([recordAt(3, 4)])
  await before([recordAt(4, 4), recordAt(5, 6), recordAt(6, 6)])

  assert.equal(kept, [
    { epoch: 4, offset: 1, timestamp: 1_001 },
    { epoch: 6, offset: 5, timestamp: 1_005 },
  ])
})

marks('what is stored is known after a start, and is forgotten with its store', async () => {
  const { before, refusal, stored, kept } = given()
  const ids = new Map([['chats', 'a']] as const)
  stored.set(0, { epoch: 4, offset: 1 })
  await refusal(ids)
  await before([recordAt(2, 4)])
  assert.equal(kept, [])
  stored.clear()
  await refusal(ids)
  await before([recordAt(3, 4)])
  assert.equal(kept, [{ epoch: 4, offset: 3, timestamp: 1_003 }])
})

marks('records without a leader epoch have no mark', async () => {
  const { before, kept } = given()
  const { epoch: _, ...record } = recordAt(1, 4)
  await before([])
  await before([record])
  assert.equal(kept, [])
})

for (const [name, verdict, expected] of [
  ['the same log', { kind: 'intact' }, undefined],
  ['a log that has lost its end', { kind: 'cut', from: 1 }, undefined],
  [
    'a log with other records of the same epochs',
    { kind: 'replaced', from: 0 },
    'chats/0: Kafka lacks records that the views have, and has other records in their place: run livechat-bridge rebuild all',
  ],
] satisfies ReadonlyArray<readonly [string, LogState, string | undefined]>)
  marks(`${name} is ${expected === undefined ? 'folded on' : 'refused'}`, async () => {
    const { before, refusal } = given(verdict)
    await before([recordAt(1, 4)])

    assert.is(await refusal(new Map([['chats', 'a']])), expected)
  })

const rows: ReadonlyArray<readonly [string, Position, Position]> = [
  ['the lower offset of a newer leader', { epoch: 1, offset: 56 }, { epoch: 0, offset: 100 }],
  ['the higher offset of the same leader', { epoch: 1, offset: 56 }, { epoch: 1, offset: 55 }],
  ['the one with an epoch', { epoch: 0, offset: 1 }, { offset: 100 }],
  ['the higher offset, if neither has an epoch', { offset: 100 }, { offset: 99 }],
]
for (const [name, greater, less] of rows)
  marks(`of two positions the greater one is ${name}`, () => {
    assert.equal([furthest(greater, less), furthest(less, greater)], [greater, greater])
  })

marks('a position has the record before it as its mark, if there is one and its epoch is known', () => {
  const positions = new Map([
    [0, { epoch: 3, offset: 0 }],
    [1, { epoch: 3, offset: 1 }],
    [2, { epoch: 3, offset: 8 }],
    [3, { offset: 8 }],
  ])
  assert.equal(
    [...marksBefore(positions)],
    [
      [1, { epoch: 3, offset: 0 }],
      [2, { epoch: 3, offset: 7 }],
    ],
  )
})

const upTo: ReadonlyArray<readonly [string, LogState | undefined, number]> = [
  ['that was not compared', undefined, 8],
  ['that is intact', { kind: 'intact' }, 8],
  ['that was cut before it', { kind: 'cut', from: 5 }, 5],
  ['that was cut after it', { kind: 'cut', from: 9 }, 8],
  ['that was replaced before it', { kind: 'replaced', from: 5 }, 5],
]
for (const [name, state, expected] of upTo)
  marks(`of what was read up to offset 8, a log ${name} still has what is before ${expected}`, () => {
    assert.is(intactUpTo({ offset: 8 }, state), expected)
  })

const position: fc.Arbitrary<Position> = fc.record(
  { offset: fc.nat(5), epoch: fc.nat(3) },
  { requiredKeys: ['offset'], noNullPrototype: true },
)

marks('whatever the order in which positions come, the same one is left, and none is greater', () => {
  fc.assert(
    fc.property(fc.array(position, { minLength: 1, maxLength: 6 }), fc.nat(), (positions, seed) => {
      const [first = { offset: 0 }] = positions
      const left = positions.reduce(furthest)
      const turned = positions.map((_, i) => positions[(i + seed) % positions.length] ?? first).reduce(furthest)
      assert.equal(turned, left)
      for (const each of positions) assert.equal(furthest(each, left), left)
    }),
  )
})

marks.run()
