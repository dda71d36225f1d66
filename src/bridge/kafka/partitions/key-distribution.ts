import * as E from 'fp-ts/lib/Either.js'
import { eventTopicNames, segmentMarker, type TopicName } from '../../../../contracts/topics.ts'
import type { Ranges } from '../../domain/log/positions.ts'
import type { ReadTopic } from '../read-topic.ts'

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
export type KeyDistribution = { readonly keyPartitions: number; readonly partitions: number; readonly mixed: boolean }

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

/** In these topics consumers rely on the order of a key. In other topics a key may move when partitions are added. */
const keepsOrder: ReadonlySet<TopicName> = new Set(eventTopicNames)
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
  (ranges: Ranges, readTopic: ReadTopic) =>
  async (topic: TopicName): Promise<KeyDistribution> => {
    const known = await ranges(topic)
    const count = known.size
    const whole = [...known.values()]
    if (!keepsOrder.has(topic) || (known.get(count - 1)?.high ?? 0) > 0 || whole.every(({ high }) => high === 0))
      return { keyPartitions: count, partitions: count, mixed: false }
    const each = Math.max(recordsAtLeast, Math.ceil(recordsInAll / count))
    const readKeys = async (only: ReadonlyArray<number>, withinMs: number) => {
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
    const { found, isWhole } = await readKeys(partitions, wholeWithinMs)
    if (isWhole) return keyDistributionOf(count, found)
    const apart: FoundKey[] = []
    for (const partition of partitions) apart.push(...(await readKeys([partition], oneWithinMs)).found)
    return keyDistributionOf(count, apart)
  }
