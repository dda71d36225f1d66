import { mock } from 'node:test'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TopicName } from '../../../contracts/topics.ts'
import type { CompareLog, LogState, Position } from '../../../src/bridge/domain/log/positions.ts'
import type { IncomingRecord } from '../../../src/bridge/domain/log/record.ts'
import { inMongo, type PositionOf, positionsInMongo, storeEverySecond } from '../../../src/bridge/views/positions.ts'

const group = 'projector'
const topic: TopicName = 'chats'
const ids = new Map<TopicName, string>([[topic, 'id']])

type Given = {
  readonly committed?: ReadonlyMap<number, number>
  readonly stored?: ReadonlyMap<number, Position>
  /** What becomes of the records before the stored positions. */
  readonly verdict?: LogState
  /** The position of partitions that have none stored. */
  readonly others?: number
  readonly first?: ReadonlyMap<number, number>
  readonly isKept?: boolean
}
const given = ({ committed = new Map(), stored = new Map(), first = new Map(), isKept = true, ...rest }: Given) => {
  const { others, verdict = { kind: 'intact' } } = rest
  const lines: object[] = []
  const kept: Array<ReadonlyMap<TopicName, ReadonlyMap<number, Position>>> = []
  let isAway = false
  const positionOf: PositionOf = (partition) =>
    stored.get(partition) ?? (others === undefined ? others : { offset: others })
  const positions = positionsInMongo({
    group,
    positions: async () => positionOf,
    keepPositions: async (reached) => {
      if (isAway) throw new Error('MongoDB is away')
      kept.push(reached)
    },
    committed: async () => committed,
    compareLog: async (_, marks) => new Map([...marks.keys()].map((partition) => [partition, verdict])),
    ranges: async () => new Map([...first].map(([partition, low]) => [partition, { low, high: low }])),
    isKept: () => isKept,
    log: { info: (fields) => void lines.push(fields) },
  })
  const away = (is: boolean) => {
    isAway = is
  }
  return { ...positions, lines, kept, away }
}
const slice = (partition: number, offset: number, epoch = 0) => ({
  topic,
  partition,
  records: [
    { topic, partition, offset, epoch, timestamp: 0, key: null, value: null, headers: {} } satisfies IncomingRecord,
  ],
})

const places = suite('positions in MongoDB')

const rows: ReadonlyArray<readonly [string, Given, { readonly start: number | undefined; readonly refused: boolean }]> =
  [
    [
      'a restored MongoDB is behind: from its position',
      { committed: new Map([[0, 9]]), stored: new Map([[0, { offset: 4, epoch: 1 }]]) },
      { start: 4, refused: false },
    ],
    [
      'the copy has records that the log has lost since: from where others took their place',
      {
        committed: new Map([[0, 9]]),
        stored: new Map([[0, { offset: 8, epoch: 1 }]]),
        verdict: { kind: 'cut', from: 5 },
      },
      { start: 5, refused: false },
    ],
    [
      'the epoch of the position is not known: from its offset, whatever the log has lost',
      { committed: new Map([[0, 9]]), stored: new Map([[0, { offset: 8 }]]), verdict: { kind: 'cut', from: 5 } },
      { start: 8, refused: false },
    ],
    [
      'a MongoDB that was never read into: from the first record',
      { committed: new Map([[0, 9]]), others: 0 },
      { start: 0, refused: false },
    ],
    [
      'the position is not known, as after a rebuild: at the committed offset',
      { committed: new Map([[0, 9]]) },
      { start: undefined, refused: false },
    ],
    [
      'MongoDB is ahead, as after a failed commit: at the committed offset',
      { committed: new Map([[0, 9]]), stored: new Map([[0, { offset: 12, epoch: 1 }]]) },
      { start: undefined, refused: false },
    ],
    ['nothing was committed', { others: 0 }, { start: undefined, refused: false }],
    [
      'the records between are only in the archive',
      { committed: new Map([[0, 9]]), stored: new Map([[0, { offset: 4 }]]), first: new Map([[0, 5]]) },
      { start: 4, refused: true },
    ],
    [
      'the records between are gone, and no rebuild would have them either',
      {
        committed: new Map([[0, 9]]),
        stored: new Map([[0, { offset: 4 }]]),
        first: new Map([[0, 5]]),
        isKept: false,
      },
      { start: 4, refused: false },
    ],
  ]
for (const [name, those, expected] of rows)
  places(name, async () => {
    const { refusal, startAt } = given(those)
    const why = await refusal(ids)
    assert.equal({ start: await startAt(topic, 0), refused: why !== undefined }, expected)
    if (why !== undefined) assert.match(why, /^chats\/0: .*run livechat-bridge rebuild all$/)
  })

places('the log says how many records are read again, of each partition', async () => {
  const { refusal, lines } = given({
    committed: new Map([
      [0, 9],
      [1, 7],
    ]),
    stored: new Map([
      [0, { offset: 4 }],
      [1, { offset: 7 }],
    ]),
  })
  await refusal(ids)
  assert.equal(lines, [{ group, topic, partition: 0, records: 5 }])
})

places('what was handled is stored once, and again after a failure', async () => {
  const { handled, store, kept, away } = given({})
  handled(slice(0, 4))
  handled(slice(1, 2))
  away(true)
  await store().catch(() => undefined)
  away(false)
  handled(slice(0, 5))
  await store()
  await store()
  assert.equal(kept, [
    new Map([
      [
        topic,
        new Map([
          [0, { offset: 6, epoch: 0 }],
          [1, { offset: 3, epoch: 0 }],
        ]),
      ],
    ]),
  ])
})

places('after a lost end the lower offset of the newer leader is stored, whatever a late slice says', async () => {
  const { handled, store, kept, away } = given({})
  handled(slice(0, 99))
  away(true)
  await store().catch(() => undefined)
  away(false)
  handled(slice(0, 50, 1))
  handled(slice(0, 98))
  await store()
  assert.equal(kept, [new Map([[topic, new Map([[0, { offset: 51, epoch: 1 }]])]])])
})

places('positions are stored every second, also if that fails, and once more at the end', async () => {
  mock.timers.enable({ apis: ['setInterval'] })
  try {
    let stores = 0
    const store = async () => {
      stores += 1
      throw new Error('MongoDB is away')
    }
    const stop = storeEverySecond({ store })
    const storesAfter = [999, 1, 1000].map((ms) => {
      mock.timers.tick(ms)
      return stores
    })
    assert.equal(storesAfter, [0, 1, 2])
    await stop()
    assert.is(stores, 3)
    mock.timers.tick(5000)
    assert.is(stores, 3)
  } finally {
    mock.timers.reset()
  }
})

places('nobody continues behind what MongoDB, Kafka or the log says', async () => {
  const offsets = fc.array(fc.tuple(fc.nat(5), fc.nat(20))).map((pairs) => new Map(pairs))
  await fc.assert(
    fc.asyncProperty(offsets, offsets, fc.nat(20), async (committed, stored, from) => {
      const compareLog: CompareLog = async (_, marks) =>
        new Map([...marks.keys()].map((each) => [each, { kind: 'cut', from }]))
      const positionOf = (each: number) => {
        const offset = stored.get(each)
        return offset === undefined ? offset : { offset, epoch: 1 }
      }
      for (const [partition, offset] of await inMongo(compareLog, topic, committed, positionOf)) {
        const inCopy = stored.get(partition)
        assert.ok(offset <= (committed.get(partition) ?? 0))
        assert.ok(inCopy === undefined || (offset <= inCopy && offset <= from))
      }
    }),
  )
})

places.run()
