import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createLog } from '../../../src/app/telemetry.ts'
import type { HandleSlice, OwnedPartition } from '../../../src/bridge/domain/log/consumer.ts'
import type { IncomingRecord } from '../../../src/bridge/domain/log/record.ts'
import { roomOf } from '../../../src/bridge/kafka/consumer/fetch-buffer.ts'
import { partitionReader } from '../../../src/bridge/kafka/consumer/partition-reader.ts'
import { semaphore } from '../../../src/bridge/shared/semaphore.ts'
import { measureOf, newSeen } from './connect.ts'

const record = (offset: number): IncomingRecord => ({
  topic: 'chats',
  partition: 3,
  offset,
  timestamp: 0,
  key: null,
  value: Buffer.from(String(offset)),
  headers: {},
})
const records = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => record(from + i))
const turn = () => new Promise((resolve) => setImmediate(resolve))
const silent = createLog('silent')

const readerOf = (
  handle: HandleSlice,
  commit: 'when-handled' | 'by-handler' = 'when-handled',
  previousHandled = Promise.resolve(),
  catchUpRecords?: number,
  onOwned: () => void = () => {},
) => {
  const consumed: Array<readonly [records: number, lag: number]> = []
  const left: string[] = []
  const wants: boolean[] = []
  const reader = partitionReader({
    spec: { group: 'g', commit, handle, onOwned, ...(catchUpRecords !== undefined && { catchUpRecords }) },
    topic: 'chats',
    partition: 3,
    topicId: '',
    start: 10,
    previousHandled,
    isMember: () => true,
    log: silent,
    acquire: semaphore(1),
    room: roomOf(Number.POSITIVE_INFINITY, () => {}),
    changed: () => wants.push(reader.wantsMore()),
    sleep: turn as () => Promise<void>,
    random: () => 0,
    clock: () => 0,
    measure: {
      ...measureOf(newSeen()),
      consumed: (_g, _t, _p, count, lag) => void consumed.push([count, lag]),
      partitionLeft: (group, topic, partition) => void left.push(`${group} ${topic}/${partition}`),
    },
  })
  return { reader, consumed, left, wants }
}

const reading = suite('partition reader')

reading('the owner of a partition is told before its first slice, also if it has no record', async () => {
  const told: string[] = []
  const handle = async () => void told.push('slice')
  const own = () => void told.push('owned')
  const { reader } = readerOf(handle, 'when-handled', Promise.resolve(), undefined, own)
  await turn()
  assert.equal(told, ['owned'])
  reader.add(records(10, 11), 11, 11)
  await reader.handled()
  assert.equal(told, ['owned', 'slice'])
})

reading('a partition that is lost while an earlier handler runs is owned by nobody', async () => {
  const told: string[] = []
  const previous = Promise.withResolvers<void>()
  const { reader } = readerOf(
    async () => {},
    'when-handled',
    previous.promise,
    undefined,
    () => void told.push('owned'),
  )
  reader.retire()
  previous.resolve()
  await turn()
  assert.equal(told, [])
})

reading(
  'slices of at most 500 records are handled one after the other, and each moves the finished offset',
  async () => {
    const lengths: number[] = []
    const { reader, consumed } = readerOf(async ({ records: { length } }) => void lengths.push(length))

    reader.add(records(10, 610), 612, 700)
    await reader.handled()

    assert.equal(lengths, [500, 100])
    assert.equal(consumed, [
      [500, 190],
      [100, 88],
    ])
    // 612: two offsets behind the last record are markers of a transaction
    assert.equal([reader.finished(), reader.position()], [612, 612])
  },
)

reading(
  'while it catches up, a partition that is far behind collects many records and handles them together',
  async () => {
    const lengths: number[] = []
    const { reader } = readerOf(
      async ({ records: { length } }) => void lengths.push(length),
      'when-handled',
      Promise.resolve(),
      8_000,
    )

    for (let at = 10; at < 60_010; at += 500) {
      while (!reader.wantsMore()) await turn()
      reader.add(records(at, at + 500), at + 500, 60_010)
    }
    await reader.handled()

    assert.equal(
      lengths.reduce((sum, length) => sum + length, 0),
      60_000,
    )
    assert.ok((lengths[0] ?? 0) <= 1_000, 'the first slice is not large')
    assert.ok(Math.max(...lengths) > 1_000 && Math.max(...lengths) <= 8_000, String(lengths))
    assert.is(reader.finished(), 60_010)
  },
)

reading('while it catches up, a partition that is near the end of its log does not wait', async () => {
  const lengths: number[] = []
  const { reader } = readerOf(async ({ records: { length } }) => void lengths.push(length), undefined, undefined, 8_000)

  reader.add(records(10, 12), 12, 300)
  await Promise.resolve()
  await Promise.resolve()

  assert.equal(lengths, [2])
})

reading('a handler that throws anything gets the same slice until it resolves', async () => {
  const failures: unknown[] = [new TypeError('x'), undefined, 'text', { retriable: false }, null]
  const seen: number[] = []
  const { reader } = readerOf(async (slice) => {
    seen.push(slice.records[0]?.offset ?? -1)
    if (failures.length > 0) throw failures.shift()
  })

  reader.add(records(10, 12), 12, 12)
  await turn()
  assert.is(reader.failing()?.failures, 1)
  await reader.handled()

  assert.equal(seen, [10, 10, 10, 10, 10, 10])
  assert.equal([reader.finished(), reader.failing()], [12, undefined])
})

reading('a handler that throws before it returns a promise is a failure like any other', async () => {
  let calls = 0
  const { reader } = readerOf(() => {
    if (++calls === 1) throw new RangeError('at once')
    return Promise.resolve()
  })

  reader.add(records(10, 11), 11, 11)
  await reader.handled()

  assert.equal([calls, reader.finished()], [2, 11])
})

reading(
  'by handler, offsets that are marked as done are finished, even if the handler fails, and never move back',
  async () => {
    let owned: OwnedPartition | undefined
    const { reader } = readerOf(async (_, given) => {
      owned = given
    }, 'by-handler')
    reader.add(records(10, 20), 20, 20)
    await reader.handled()
    assert.is(reader.finished(), undefined)

    owned?.done(14)
    owned?.done(12)

    assert.is(reader.finished(), 15)
  },
)

reading('a retired reader is not current, and offsets that its handler finishes have no effect', async () => {
  const { promise: running, resolve: finish } = Promise.withResolvers<void>()
  let owned: OwnedPartition | undefined
  const { reader, consumed, left } = readerOf((_, given) => {
    owned = given
    return running
  })
  reader.add(records(10, 20), 20, 20)
  await turn()
  const before = owned?.isCurrent()

  reader.retire()
  finish()
  await reader.handled()
  owned?.done(19)

  assert.equal([before, owned?.isCurrent(), reader.finished()], [true, false, undefined])
  // It has no lag here.
  assert.equal([left, consumed], [['g chats/3'], []])
})

reading('no slice is handled before an earlier owner in this process has ended', async () => {
  const { promise: earlier, resolve: end } = Promise.withResolvers<void>()
  let calls = 0
  const { reader } = readerOf(async () => void calls++, 'when-handled', earlier)
  reader.add(records(10, 11), 11, 11)
  await turn()
  const before = calls

  end()
  await reader.handled()

  assert.equal([before, calls], [0, 1])
})

reading('a paused partition fetches and handles nothing until every pause has ended', async () => {
  let owned: OwnedPartition | undefined
  let calls = 0
  const { reader, wants } = readerOf(async (_, given) => {
    calls++
    owned ??= given
  })
  reader.add(records(10, 11), 11, 11)
  await reader.handled()
  const resumes = [owned?.pause(), owned?.pause()]
  reader.add(records(11, 12), 12, 12)
  await turn()
  assert.equal([calls, reader.wantsMore()], [1, false])

  resumes[0]?.()
  resumes[0]?.()
  await turn()
  assert.equal([calls, reader.wantsMore()], [1, false])
  resumes[1]?.()
  await reader.handled()

  assert.equal([calls, reader.wantsMore(), wants.at(-1)], [2, true, true])
})

reading('a full queue stops fetching until half of it is handled, and says how far that is', async () => {
  const ends: Array<() => void> = []
  const { reader } = readerOf(() => new Promise((resolve) => ends.push(resolve)))
  reader.add(records(10, 1_510), 1_510, 1_510)
  const state = () => [reader.wantsMore(), reader.handledUpTo()]
  const states = [state()]

  for (let i = 0; i < 3; i++) {
    await turn()
    ends[i]?.()
    await turn()
    states.push(state())
  }

  assert.equal(states, [
    [false, 10],
    [false, 510],
    [true, 1_010],
    [true, 1_510],
  ])
})

reading.run()
