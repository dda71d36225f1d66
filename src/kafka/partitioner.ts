import * as E from 'fp-ts/lib/Either.js'
import { botConversations, botReplies, eventTopics, segmentMarker, type TopicName } from '../../contracts/topics.ts'
import type { Failure, IncomingRecord, Log, Sleep } from '../domain/ports.ts'
import type { Ranges } from './offsets.ts'
import type { ReadTopic } from './read-topic.ts'
import { allHeaders, type WireRecord } from './wire-record.ts'

const seed = 0x9747b28c
const multiplier = 0x5bd1e995

const mixed = (word: number) => {
  const product = Math.imul(word, multiplier)
  return Math.imul(product ^ (product >>> 24), multiplier)
}

/**
 * A key's hash as the Java client has it (MurmurHash2, without the sign). The partition is its remainder by the number of partitions.
 * kafkajs computes the same with BigInts in thirty times the time, and each record has to be hashed.
 */
export const murmur2 = (key: Buffer): number => {
  const { length } = key
  const whole = length & ~3
  let hash = seed ^ length
  for (let i = 0; i < whole; i += 4) hash = Math.imul(hash, multiplier) ^ mixed(key.readInt32LE(i))
  if (whole < length) hash = Math.imul(hash ^ key.readUIntLE(whole, length - whole), multiplier)
  hash = Math.imul(hash ^ (hash >>> 13), multiplier)
  return (hash ^ (hash >>> 15)) & 0x7fffffff
}

/** A key and the partition that its records were found in. */
type FoundKey = { readonly key: Buffer; readonly partition: number }

/**
 * Over how many of its partitions a topic's keys are distributed. Where partitions were added later it stays at the earlier number, since
 * a key that moved would lose the order of its records. `mixed`: no number fits the keys that were found.
 */
type KeyDistribution = { readonly keyPartitions: number; readonly partitions: number; readonly mixed: boolean }

/** Other producers may have chosen the partition of a few records themselves. */
const enough = 0.95

/** The largest number of partitions that explains where the keys were found. */
export const keyDistributionOf = (partitions: number, found: ReadonlyArray<FoundKey>): KeyDistribution => {
  const distinct = new Map(
    found.map(({ key, partition }) => [`${partition} ${key.toString('latin1')}`, { partition, hash: murmur2(key) }]),
  )
  const hashes = [...distinct.values()]
  const fits = (count: number) =>
    hashes.filter(({ hash, partition }) => hash % count === partition).length >= enough * hashes.length
  const fitting = Array.from({ length: partitions }, (_, fewer) => partitions - fewer).find(fits)
  return { keyPartitions: fitting ?? partitions, partitions, mixed: fitting === undefined }
}

type Deps = { readonly detect: (topic: TopicName) => Promise<KeyDistribution>; readonly log: Log }

/** Decides the partition of each record, as Java's client does, except that keys stay where they are when partitions are added. */
export type Partitioner = {
  /** Resolves when the topics' partitions are known; rejects while they cannot be found out. */
  readonly ready: (topics: Iterable<TopicName>) => Promise<void>
  /** Undefined until the topic is known, and where it has not the partition that is wanted. */
  readonly partitionOf: (topic: TopicName, key: Buffer | null, wanted?: number) => number | undefined
  readonly known: (topic: TopicName) => KeyDistribution | undefined
  /** The topic's partitions are not those that were known: they have to be found out again. */
  readonly forget: (topic: TopicName) => void
}

/** What has to be known for a record of a topic: a command goes to the partition with the number of its conversation's. */
const neededFor = (topic: TopicName): ReadonlyArray<TopicName> =>
  topic === botReplies.name ? [topic, botConversations.name] : [topic]

/** Detects each topic's key distribution once, and again after `forget`. */
export const partitionerOf = ({ detect, log }: Deps): Partitioner => {
  const known = new Map<TopicName, KeyDistribution>()
  const detecting = new Map<TopicName, Promise<void>>()
  let withoutKey = 0

  const find = async (topic: TopicName) => {
    const distribution = await detect(topic)
    known.set(topic, distribution)
    const { keyPartitions, partitions, mixed } = distribution
    if (keyPartitions < partitions)
      log.warn({ topic, keyPartitions, partitions }, 'kafka: partitions were added, keys stay on the earlier ones')
    if (mixed)
      log.warn(
        { topic, partitions },
        'kafka: partitions were added while keys were in it: older chats have lost their order',
      )
  }
  const once = (topic: TopicName): Promise<void> => {
    const underWay = detecting.get(topic) ?? find(topic).finally(() => detecting.delete(topic))
    detecting.set(topic, underWay)
    return underWay
  }
  const numberOfPartitions = (topic: TopicName) => {
    const own = known.get(topic)
    const needed = neededFor(topic).map((name) => known.get(name))
    if (own === undefined || needed.includes(undefined)) return undefined
    const forKeys = needed.at(-1)?.keyPartitions ?? own.keyPartitions
    return { all: own.partitions, forKeys: Math.min(forKeys, own.partitions) }
  }
  return {
    ready: async (topics) => {
      const needed = new Set([...topics].flatMap(neededFor))
      await Promise.all([...needed].filter((topic) => !known.has(topic)).map(once))
    },
    partitionOf: (topic, key, wanted) => {
      const partitions = numberOfPartitions(topic)
      if (partitions === undefined) return undefined
      if (wanted !== undefined) return wanted < partitions.all ? wanted : undefined
      return key === null ? withoutKey++ % partitions.all : murmur2(key) % partitions.forKeys
    },
    known: (topic) => known.get(topic),
    forget: (topic) => void known.delete(topic),
  }
}

type DetectDeps = { readonly ranges: Ranges; readonly readTopic: ReadTopic }

/** Consumers rely on the order of their keys; in other topics a key may move when partitions are added. */
const keepsOrder: ReadonlySet<TopicName> = new Set(eventTopics.map(({ name }) => name))
const recordsInAll = 2_000
const recordsAtLeast = 10
const wholeWithinMs = 10_000
const oneWithinMs = 3_000

/**
 * Detects the key distribution from the log alone. Added partitions get no keys: only where the last partition is empty there may be added
 * ones, and then the oldest records of each partition tell. Either all keys of the log are read, or so many that the answer is certain.
 * A partition whose first batch cannot be read is left out: that blocks its consumers, and must not block producers.
 */
export const detectKeyDistribution =
  ({ ranges, readTopic }: DetectDeps) =>
  async (topic: TopicName): Promise<KeyDistribution> => {
    const known = await ranges(topic)
    const count = known.size
    const whole = [...known.values()]
    if (!keepsOrder.has(topic) || (known.get(count - 1)?.high ?? 0) > 0 || whole.every(({ high }) => high === 0))
      return { keyPartitions: count, partitions: count, mixed: false }
    const each = Math.max(recordsAtLeast, Math.ceil(recordsInAll / count))
    const look = async (only: ReadonlyArray<number>, withinMs: number) => {
      const found: FoundKey[] = []
      const signal = AbortSignal.timeout(withinMs)
      const read = await readTopic(
        topic,
        async (records) => {
          // A marker stands in every partition.
          for (const { key, partition } of records)
            if (key !== null && `${key}` !== segmentMarker) found.push({ key, partition })
        },
        {
          part: (partition, { low, high }) => ({
            low,
            high: only.includes(partition) ? Math.min(high, low + each) : low,
          }),
          signal,
        },
      )
      if (E.isLeft(read)) throw new Error(read.left.reason)
      return { found, isWhole: !signal.aborted }
    }
    const partitions = [...known.keys()]
    const { found, isWhole } = await look(partitions, wholeWithinMs)
    if (isWhole) return keyDistributionOf(count, found)
    const apart: FoundKey[] = []
    for (const partition of partitions) apart.push(...(await look([partition], oneWithinMs)).found)
    return keyDistributionOf(count, apart)
  }

/**
 * Appends a record again whose partition is not that of its key's conversation: true when it is durable in the right partition. False
 * where it is to be handled where it is: the partition is right, it has no key, or it was rerouted before.
 * Undefined when the room stops before that is known.
 */
export type Reroute = (record: IncomingRecord) => Promise<boolean | undefined>

type RerouteDeps = {
  /** Left transient is tried again. */
  readonly append: (record: WireRecord) => Promise<E.Either<Failure, void>>
  readonly partitioner: Pick<Partitioner, 'ready' | 'partitionOf'>
  readonly sleep: Sleep
}

/** Instances that do not agree on where a record belongs must not send it back and forth. */
const rerouted = 'rerouted'
const againAfterMs = 500

export const rerouteWith =
  ({ append, partitioner, sleep }: RerouteDeps, isStopping: () => boolean): Reroute =>
  async (record) => {
    const { topic, key, value, partition, headers } = record
    if (key === null || headers[rerouted] !== undefined) return false
    const attempt = async (): Promise<boolean | undefined> => {
      await partitioner.ready([topic])
      const to = partitioner.partitionOf(topic, key)
      if (to === undefined || to === partition) return false
      const appended = await append({ topic, key, value, headers: { ...allHeaders(record), [rerouted]: '1' } })
      if (E.isRight(appended)) return true
      return appended.left.kind === 'transient' ? undefined : false
    }
    for (;;) {
      const outcome = await attempt().catch(() => undefined)
      if (outcome !== undefined || isStopping()) return outcome
      await sleep(againAfterMs)
    }
  }
