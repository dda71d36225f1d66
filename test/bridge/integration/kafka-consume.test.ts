import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { OwnedPartition } from '../../../src/bridge/domain/log/consumer.ts'
import type { Slice } from '../../../src/bridge/domain/log/record.ts'
import { eventually } from '../../support/eventually.ts'
import { connectTestKafka, newPrefix, recordOf, type TestKafka, textOf, withinMs } from '../kafka/connect.ts'

const prefix = newPrefix()
const kafka = await connectTestKafka(prefix)
const created = await kafka.ensureTopics()
if (E.isLeft(created)) throw new Error(created.left.reason)

const keys = Array.from({ length: 24 }, (_, i) => `acme/${i}`)
const appendAll = (values: ReadonlyArray<string>, to: TestKafka = kafka) =>
  Promise.all(values.map((value, i) => to.append(recordOf(keys[i % keys.length] ?? '', value), withinMs)))
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => String(from + i))

/** The start offsets of a group that begins at the current end of `chats`. */
const fromHere = async () => {
  const ends = await kafka.endOffsets('chats')
  return async (_: unknown, partition: number) => ends.get(partition)
}

const consume = suite('consume')

consume('a handler that fails in any way gets its slice again, while other partitions continue', async () => {
  const startAt = await fromHere()
  const failures: unknown[] = [
    new TypeError('a bug'),
    Object.assign(new Error('final'), { retriable: false }),
    undefined,
    'text',
    new RangeError('another'),
  ]
  let broken: number | undefined
  const seen: string[] = []
  const whileBroken: string[] = []
  const consumer = await kafka.consume({
    group: 'failing',
    topics: ['chats'],
    commit: 'when-handled',
    startAt,
    handle: async ({ partition, records }) => {
      broken ??= partition
      if (partition === broken && failures.length > 0) return Promise.reject(failures.shift())
      if (failures.length > 0) whileBroken.push(...records.map(textOf))
      seen.push(...records.map(textOf))
    },
  })
  // A broker that has just started may end the first attempts to join.
  await eventually('the group is joined', async () => (await consumer.health()).ok)
  kafka.seen.restarted.length = 0

  await appendAll(numbers(0, 200))

  await eventually('200 records', () => seen.length >= 200)
  assert.equal(
    seen.map(Number).sort((a, b) => a - b),
    numbers(0, 200).map(Number),
  )
  assert.ok(whileBroken.length > 0)
  assert.equal(kafka.seen.restarted, [])
  assert.equal(consumer.health(), { ok: true, reason: 'reads 4 partitions' })
  await consumer.stop()
})

consume(
  'by handler, only offsets that the handler marks as done are committed, and the rest is read again',
  async () => {
    const startAt = await fromHere()
    const spec = { group: 'by-handler', topics: ['chats'], commit: 'by-handler' } as const
    const taken = new Map<number, { readonly offsets: number[]; readonly owned: OwnedPartition }>()
    const take = ({ partition, records }: Slice, owned: OwnedPartition) => {
      const known = taken.get(partition) ?? { offsets: [], owned }
      taken.set(partition, known)
      known.offsets.push(...records.map(({ offset }) => offset))
    }
    const count = () => [...taken.values()].reduce((sum, { offsets }) => sum + offsets.length, 0)
    const before = await kafka.consume({ ...spec, startAt, handle: async (slice, owned) => take(slice, owned) })
    await appendAll(numbers(0, 120))
    await eventually('120 records', () => count() === 120)

    const expected = new Map<number, number>()
    for (const [partition, { offsets, owned }] of taken) {
      const last = offsets[Math.floor(offsets.length / 2)] ?? 0
      owned.done(last)
      owned.done(last - 1)
      expected.set(partition, last + 1)
    }
    await before.stop()

    assert.equal(await kafka.committedOffsets('by-handler', 'chats'), expected)
    const [one] = taken.values()
    assert.equal(one?.owned.isCurrent(), false)
    const firsts = new Map<number, number>()
    const after = await kafka.consume({
      ...spec,
      handle: async ({ partition, records }) =>
        void firsts.set(partition, firsts.get(partition) ?? records[0]?.offset ?? -1),
    })
    await eventually('the first record of each chat', () => firsts.size === expected.size)
    await after.stop()
    assert.equal(new Map([...firsts].sort()), new Map([...expected].sort()))
  },
)

consume('a paused partition gets no records until it is resumed', async () => {
  const startAt = await fromHere()
  const seen: string[] = []
  let resume: (() => void) | undefined
  const consumer = await kafka.consume({
    group: 'paused',
    topics: ['chats'],
    commit: 'when-handled',
    startAt,
    handle: async ({ partition, records }, owned) => {
      seen.push(...records.map((record) => `${partition}: ${textOf(record)}`))
      if (partition === 0) resume ??= owned.pause()
    },
  })
  const ofPartition = (partition: number) => seen.filter((text) => text.startsWith(`${partition}:`)).length
  await appendAll(numbers(0, 48))
  await eventually(
    'all partitions to be read',
    () => resume !== undefined && [1, 2, 3].every((partition) => ofPartition(partition) > 0),
  )
  const before = { paused: ofPartition(0), other: ofPartition(1) }

  await appendAll(numbers(48, 96))

  await eventually('the other partition to go on', () => ofPartition(1) >= 2 * before.other)
  assert.equal(ofPartition(0), before.paused)
  resume?.()
  await eventually('96 records', () => seen.length === 96)
  await consumer.stop()
})

consume('reading starts at the offset of startAt, after the partitions are known', async () => {
  const ends = await kafka.endOffsets('chats')
  const heard: unknown[] = []
  const firsts = new Map<number, number>()
  const consumer = await kafka.consume({
    group: 'placed',
    topics: ['chats'],
    commit: 'when-handled',
    onAssigned: (partitions) => void heard.push(partitions),
    startAt: async (topic, partition) => {
      heard.push(`${topic}/${partition}`)
      return (ends.get(partition) ?? 0) - 2
    },
    handle: async ({ partition, records }) =>
      void firsts.set(partition, firsts.get(partition) ?? records[0]?.offset ?? -1),
  })

  await eventually('four partitions to begin', () => firsts.size === 4)
  await consumer.stop()
  assert.equal(heard[0], [0, 1, 2, 3])
  assert.equal(heard.slice(1).sort(), ['chats/0', 'chats/1', 'chats/2', 'chats/3'])
  assert.equal([...firsts].sort(), [...ends].map(([partition, end]) => [partition, end - 2]).sort())
})

consume('two instances share the partitions, the same ones of every topic, and a rebalance loses nothing', async () => {
  const startAt = await fromHere()
  const other = await connectTestKafka(prefix)
  const spec = { group: 'shared', topics: ['chats', 'bot-replies'], commit: 'when-handled' } as const
  const seen = new Set<string>()
  const inOrder = new Map<string, number>()
  const inversions: string[] = []
  const handle = async ({ partition, records }: Slice) => {
    for (const record of records) {
      const value = textOf(record)
      const key = String(record.key)
      if (!seen.has(value) && (inOrder.get(key) ?? -1) > Number(value)) inversions.push(`${partition}: ${value}`)
      inOrder.set(key, Math.max(inOrder.get(key) ?? -1, Number(value)))
      seen.add(value)
    }
  }
  const owned = { first: [] as ReadonlyArray<number>, second: [] as ReadonlyArray<number> }
  const first = await kafka.consume({
    ...spec,
    handle,
    onAssigned: (partitions) => {
      owned.first = partitions
    },
    startAt: async (topic, partition) => (topic === 'chats' && seen.size === 0 ? startAt(topic, partition) : undefined),
  })
  await eventually('the first consumer to own all partitions', () => owned.first.length === 4)
  const appending = (async () => {
    for (let from = 0; from < 2_000; from += 50) await appendAll(numbers(from, from + 50))
  })()

  const second = await other.consume({
    ...spec,
    handle,
    onAssigned: (partitions) => {
      owned.second = partitions
    },
  })

  await eventually('the consumers to share the partitions', () => owned.first.length === 2 && owned.second.length === 2)
  assert.equal([...owned.first, ...owned.second].sort(), [0, 1, 2, 3])
  await appending
  await second.stop()
  await eventually('all records under one consumer', () => owned.first.length === 4 && seen.size === 2_000)
  assert.equal(inversions, [])
  assert.equal([kafka.seen.restarted, other.seen.restarted], [[], []])
  await first.stop()
  await other.stop()
})

consume('the connection stops with its consumers', () => kafka.stop())

consume.run()
