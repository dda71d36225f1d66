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
 * The hash of a key as in the Java client (MurmurHash2, without the sign). The partition is its remainder by the number
 * of partitions. kafkajs computes the same hash with BigInts, which takes thirty times as long for each record.
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

/** A key, and the partition in which its records were found. */
type FoundKey = { readonly key: Buffer; readonly partition: number }

/**
 * `keyPartitions`: the number of partitions over which a topic's keys are distributed. It stays unchanged when
 * partitions are added, since a key that moved would lose the order of its records. `mixed`: no number fits the keys
 * that were found.
 */
type KeyDistribution = { readonly keyPartitions: number; readonly partitions: number; readonly mixed: boolean }

/** Not all keys have to fit: other producers may have chosen the partitions of a few records themselves. */
const enough = 0.95

/** Finds the largest number of partitions that explains where the keys were found. */
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

/** Decides the partition of each record as Java's client does, but does not move keys when partitions are added. */
export type Partitioner = {
  /** Resolves when the topics' partitions are known. Rejects if they cannot be detected now. */
  readonly ready: (topics: Iterable<TopicName>) => Promise<void>
  /** Undefined if the topic is not known yet, or does not have the wanted partition. */
  readonly partitionOf: (topic: TopicName, key: Buffer | null, wanted?: number) => number | undefined
  readonly known: (topic: TopicName) => KeyDistribution | undefined
  /** The topic's partitions have changed, and must be detected again. */
  readonly forget: (topic: TopicName) => void
}

/** The topics whose partitions must be known for a record. A command has the partition number of its conversation. */
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
      log.warn(
        { topic, keyPartitions, partitions },
        'kafka: partitions were added; keys use the earlier partitions only',
      )
    if (mixed)
      log.warn(
        { topic, partitions },
        'kafka: partitions were added and keys have moved: the record order of older chats is lost',
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

/** In these topics consumers rely on the order of a key. In other topics a key may move when partitions are added. */
const keepsOrder: ReadonlySet<TopicName> = new Set(eventTopics.map(({ name }) => name))
const recordsInAll = 2_000
const recordsAtLeast = 10
const wholeWithinMs = 10_000
const oneWithinMs = 3_000

/**
 * Detects the key distribution from the log alone. Added partitions get no keys, so partitions can have been added only
 * if the last partition is empty. In this case the oldest records of each partition are read: all keys of the log, or
 * enough keys for a certain result. A partition whose first batch cannot be read is ignored: it blocks its consumers,
 * but it must not block producers.
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
          // Every partition has markers, so they show nothing about keys.
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
 * Appends a record again if its partition is not that of its key's conversation. True when it is durable in the right
 * partition. False if the caller must process it where it is: the partition is right, the record has no key, it was
 * rerouted before, or Kafka refuses it. Undefined if this process stops before the result is known.
 */
export type Reroute = (record: IncomingRecord) => Promise<boolean | undefined>

type RerouteDeps = {
  /** A transient Left is retried. */
  readonly append: (record: WireRecord) => Promise<E.Either<Failure, void>>
  readonly partitioner: Pick<Partitioner, 'ready' | 'partitionOf'>
  readonly sleep: Sleep
}

/** The header that prevents a loop when instances disagree about the partition of a record. */
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
