import type { Batch, Offsets } from 'kafkajs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { HandleSlice } from '../../../src/bridge/domain/log/consumer.ts'
import { offsetCommitter } from '../../../src/bridge/kafka/consumer/committed-offsets.ts'
import { roomOf } from '../../../src/bridge/kafka/consumer/fetch-buffer.ts'
import { readersOf } from '../../../src/bridge/kafka/consumer/generations.ts'
import { type PartitionReader, partitionReader } from '../../../src/bridge/kafka/consumer/partition-reader.ts'
import { batchAcceptor } from '../../../src/bridge/kafka/consumer/take-batch.ts'
import { semaphore } from '../../../src/bridge/shared/semaphore.ts'
import { measureOf, newSeen } from './connect.ts'

const nothing = () => {}
const turn = () => new Promise((resolve) => setImmediate(resolve))

const readerOf = (partition: number, start: number, handle: HandleSlice = async () => {}): PartitionReader =>
  partitionReader({
    spec: { group: 'g', commit: 'when-handled', handle },
    topic: 'chats',
    partition,
    topicId: 'id-of-chats',
    start,
    previousHandled: Promise.resolve(),
    isMember: () => true,
    changed: nothing,
    acquire: semaphore(1),
    room: roomOf(Number.POSITIVE_INFINITY, nothing),
    sleep: async () => {},
    random: () => 0,
    clock: () => 0,
    measure: measureOf(newSeen()),
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  })

/** A batch as kafkajs passes it to a handler. */
const batchOf = (fetchedOffset: number, offsets: ReadonlyArray<number>, lastOffset = offsets.at(-1)) =>
  ({
    topic: 't.chats',
    partition: 3,
    highWatermark: '100',
    fetchedOffset: String(fetchedOffset),
    lastOffset: () => String(lastOffset),
    messages: offsets.map((offset) => ({
      offset: String(offset),
      timestamp: '0',
      key: null,
      value: null,
      headers: {},
    })),
  }) as unknown as Batch

const generations = suite('generations of a consumer group')

generations("a batch is accepted if it was fetched at the reader's position, even with gaps and markers", async () => {
  const take = batchAcceptor(nothing)
  const reader = readerOf(3, 10)

  const taken = [take(batchOf(10, [12, 14], 15), reader), take(batchOf(16, [16]), reader)]

  await reader.handled()
  assert.equal([taken, reader.position(), reader.finished()], [[true, true], 17, 17])
})

generations('a late batch of an earlier generation is refused, since it would skip records', () => {
  const unexpected: string[] = []
  const take = batchAcceptor((name) => unexpected.push(name))
  const reader = readerOf(3, 10)

  const taken = [take(batchOf(50, [50, 51]), reader), take(batchOf(10, [10]), reader)]

  assert.equal([taken, reader.position(), unexpected], [[false, true], 11, []])
})

generations('a partition that another member continues is reported', () => {
  const unexpected: string[] = []
  const take = batchAcceptor((name) => unexpected.push(name))
  const reader = readerOf(3, 10)

  take(batchOf(0, [0]), reader)
  take(batchOf(0, [0]), reader)

  assert.equal([unexpected, reader.position()], [['chats/3'], 10])
})

generations('finished offsets are committed once, one request at a time', async () => {
  const [one, two, three] = [readerOf(1, 5), readerOf(2, 5), readerOf(3, 5)]
  const sent: Offsets[] = []
  const answers: Array<() => void> = []
  const { flush } = offsetCommitter({
    prefix: 't.',
    readers: () => [one, two, three],
    clock: () => 0,
    commit: () => (offsets) =>
      new Promise((resolve) => {
        sent.push(offsets)
        answers.push(resolve)
      }),
  })
  one.add([], 5, 5)
  const take = batchAcceptor(nothing)
  take({ ...batchOf(5, [5, 6]), partition: 1 } as Batch, one)
  take(batchOf(5, [5]), three)
  await Promise.all([one.handled(), three.handled()])

  const flushes = [flush(), flush()]
  answers[0]?.()
  await Promise.all(flushes)
  await flush()

  assert.equal(sent, [
    {
      topics: [
        {
          topic: 't.chats',
          partitions: [
            { partition: 1, offset: '7', metadata: 'id-of-chats' },
            { partition: 3, offset: '6', metadata: 'id-of-chats' },
          ],
        },
      ],
    },
  ])
})

generations('a failed commit is repeated with the offsets that are finished by then', async () => {
  const reader = readerOf(3, 5)
  const sent: string[] = []
  let now = 7
  const { flush, failsSince } = offsetCommitter({
    prefix: '',
    readers: () => [reader],
    clock: () => now,
    commit: () => async (offsets) => {
      sent.push(offsets.topics[0]?.partitions[0]?.offset ?? '')
      if (sent.length === 1) throw new Error('not a member')
    },
  })
  const take = batchAcceptor(nothing)
  take(batchOf(5, [5]), reader)
  await reader.handled()
  await flush()
  const failing = failsSince()
  now = 9
  take(batchOf(6, [6]), reader)
  await reader.handled()

  await flush()

  assert.equal([sent, failing, failsSince()], [['6', '7'], 7, undefined])
})

generations('a new generation starts a partition after the handler of the previous generation has ended', async () => {
  const { promise: running, resolve: finish } = Promise.withResolvers<void>()
  const unfinishedHandlers = new Map<string, Promise<void>>()
  const readers = readersOf(unfinishedHandlers)
  const old = readerOf(3, 5, () => running)
  readers.set('chats/3', old)
  batchAcceptor(nothing)(batchOf(5, [5]), old)
  await turn()

  readers.retire()

  let free = false
  const before = readersOf(unfinishedHandlers)
    .previousHandled('chats/3')
    .then(() => {
      free = true
    })
  await turn()
  assert.equal([readers.all(), free], [[], false])
  finish()
  await before
  await turn()
  assert.equal([old.finished(), unfinishedHandlers.size], [undefined, 0])
})

generations.run()
