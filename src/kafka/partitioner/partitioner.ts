import * as E from 'fp-ts/lib/Either.js'
import { botConversations, botReplies, eventTopics, type TopicName } from '../../../contracts/topics.ts'
import type { Log } from '../../domain/ports.ts'
import { reasonOf } from '../errors.ts'
import type { TopicReport } from '../topic-settings.ts'
import type { TopicReports } from '../topics.ts'

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
export type FoundKey = { readonly key: Buffer; readonly partition: number }

/**
 * Over how many of its partitions a topic's keys are spread. It is fewer than there are where some were added later: the records
 * of a key that moved would lose their order. `mixed`: the keys found fit to no number.
 */
export type KeySpread = { readonly over: number; readonly of: number; readonly mixed: boolean }

/** Others may have written a few records wherever they liked. */
const enough = 0.95

/** The number of partitions by which the keys found stand where they stand: all there are, or else the largest that fits. */
export const keySpreadBy = (of: number, found: ReadonlyArray<FoundKey>): KeySpread => {
  const distinct = new Map(
    found.map(({ key, partition }) => [`${partition} ${key.toString('latin1')}`, { partition, hash: murmur2(key) }]),
  )
  const hashes = [...distinct.values()]
  const fits = (count: number) =>
    hashes.filter(({ hash, partition }) => hash % count === partition).length >= enough * hashes.length
  const over = Array.from({ length: of }, (_, fewer) => of - fewer).find(fits)
  return { over: over ?? of, of, mixed: over === undefined }
}

type Deps = { readonly learn: (topic: TopicName) => Promise<KeySpread>; readonly log: Log }

/** Decides the partition of each record, as Java's client does, except that keys stay where they are when partitions are added. */
export type Partitioner = {
  /** Resolves when the topics' partitions are known; rejects while they cannot be found out. */
  readonly ready: (topics: Iterable<TopicName>) => Promise<void>
  /** Undefined until the topic is known. */
  readonly partitionOf: (topic: TopicName, key: Buffer | null) => number | undefined
  readonly known: (topic: TopicName) => KeySpread | undefined
  /** The topic's partitions are not those that were known: they have to be found out again. */
  readonly forget: (topic: TopicName) => void
}

/** What has to be known for a record of a topic: a command goes to the partition with the number of its conversation's. */
const neededFor = (topic: TopicName): ReadonlyArray<TopicName> =>
  topic === botReplies.name ? [topic, botConversations.name] : [topic]

/** Learns each topic's partitions once, and again when it is told to forget them. */
export const partitionerOf = ({ learn, log }: Deps): Partitioner => {
  const known = new Map<TopicName, KeySpread>()
  const learning = new Map<TopicName, Promise<void>>()
  let withoutKey = 0

  const find = async (topic: TopicName) => {
    const spread = await learn(topic)
    known.set(topic, spread)
    const { over, of, mixed } = spread
    if (over < of)
      log.warn({ topic, over, of }, 'kafka: partitions were added, keys stay on those that were there before')
    if (mixed)
      log.warn({ topic, of }, 'kafka: keys are not where their number of partitions puts them: order is not sure')
  }
  const once = (topic: TopicName): Promise<void> => {
    const underWay = learning.get(topic) ?? find(topic).finally(() => learning.delete(topic))
    learning.set(topic, underWay)
    return underWay
  }
  const numberOfPartitions = (topic: TopicName) => {
    const own = known.get(topic)
    const needed = neededFor(topic).map((name) => known.get(name))
    if (own === undefined || needed.includes(undefined)) return undefined
    const over = needed.at(-1)?.over ?? own.over
    return { all: own.of, forKeys: over <= own.of ? over : own.of }
  }
  return {
    ready: async (topics) => {
      const needed = new Set([...topics].flatMap(neededFor))
      await Promise.all([...needed].filter((topic) => !known.has(topic)).map(once))
    },
    partitionOf: (topic, key) => {
      const partitions = numberOfPartitions(topic)
      if (partitions === undefined) return undefined
      return key === null ? withoutKey++ % partitions.all : murmur2(key) % partitions.forKeys
    },
    known: (topic) => known.get(topic),
    forget: (topic) => void known.delete(topic),
  }
}

const ordered = new Set<TopicName>(eventTopics.map(({ name }) => name))

const differencesOf = (topic: TopicName, partitions: number, { known }: Pick<Partitioner, 'known'>) => {
  const spread = known(topic)
  const conversations = known(botConversations.name)?.over ?? 0
  if (topic === botReplies.name)
    return partitions < conversations
      ? [`fewer partitions than the ${conversations} of bot-conversations: commands are not fenced`]
      : []
  if (spread === undefined || !ordered.has(topic)) return []
  if (spread.mixed) return ['partitions were added while keys were in it: older chats have lost their order']
  return spread.over < partitions
    ? [`keys stay on the first ${spread.over} partitions, those added later are not used`]
    : []
}

/** The reports with what is known of where keys go; Left where that cannot be found out. */
export const withKeySpreads = async (
  asked: TopicReports,
  partitioner: Pick<Partitioner, 'ready' | 'known' | 'forget'>,
  prefix: string,
): TopicReports => {
  const reports = await asked
  if (E.isLeft(reports)) return reports
  const nameOf = ({ name }: TopicReport) => name.slice(prefix.length) as TopicName
  const present = reports.right.filter(({ partitions }) => partitions > 0)
  for (const report of present)
    if (partitioner.known(nameOf(report))?.of !== report.partitions) partitioner.forget(nameOf(report))
  try {
    await partitioner.ready(present.map(nameOf).filter((topic) => ordered.has(topic)))
  } catch (error) {
    return E.left({ kind: 'transient', reason: reasonOf(error) })
  }
  return E.right(
    reports.right.map((report) =>
      report.partitions === 0
        ? report
        : {
            ...report,
            differences: [...report.differences, ...differencesOf(nameOf(report), report.partitions, partitioner)],
          },
    ),
  )
}
