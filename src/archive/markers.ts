import * as E from 'fp-ts/lib/Either.js'
import type { DomainEvent } from '../../contracts/events/index.ts'
import { archiveNameOf, type EventTopic, eventTopics, type TopicName } from '../../contracts/topics.ts'
import type { ArchiveKeys, CommittedOffsets, EndOffsets, Failure, IncomingRecord, TopicIds } from '../domain/ports.ts'
import { isErasure, mayErase } from './archiver.ts'
import { KeyLost, keyId } from './data-keys.ts'
import { type Restore, restorer } from './restore.ts'

type Name = EventTopic['name']
type Offsets = ReadonlyMap<number, number>
type Range = { readonly low: number; readonly high: number }

type Deps = {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** The time until which MongoDB has every erasure of the archive; undefined if that was never known. */
  readonly knownUntil: () => Promise<Date | undefined>
  readonly keepKnownUntil: (time: Date) => Promise<void>
  readonly endOffsets: EndOffsets
  readonly committed: CommittedOffsets
  readonly topicIds: (topics: ReadonlyArray<TopicName>) => Promise<TopicIds>
  readonly offsetsAt: (topic: TopicName, time: number) => Promise<Offsets>
  readonly readTopic: (
    topic: TopicName,
    onSlice: (records: ReadonlyArray<IncomingRecord>) => Promise<void>,
    options: { readonly part: (partition: number, whole: Range) => Range },
  ) => Promise<E.Either<Failure, void>>
  readonly decode: (record: IncomingRecord) => E.Either<unknown, DomainEvent>
  readonly keys: Pick<ArchiveKeys, 'find' | 'destroy'>
  /** Applies a marker to the views. */
  readonly empty: (record: IncomingRecord, marker: DomainEvent) => Promise<void>
}

/** Clocks differ, and Kafka finds offsets by the records' own times. */
const marginMs = 10 * 60 * 1000
const names = eventTopics.map(({ name }) => name)

/** A marker has no personal data, so it needs no key. */
const withoutKeys = restorer({ forOpening: async () => new Map() })

/**
 * The erasures that the archive has and MongoDB may lack, because it was restored from an older copy. The offsets in
 * Kafka say that these erasures were processed. Only records archived since MongoDB last had all of them are read.
 */
export const markers = (deps: Deps) => {
  const { now, knownUntil, keepKnownUntil, endOffsets, committed, topicIds, offsetsAt, readTopic, keys } = deps

  const readNew = async (onSlice: (topic: Name, records: ReadonlyArray<IncomingRecord>) => Promise<void>) => {
    const since = await knownUntil()
    const readOne = async (name: Name) => {
      const archive = archiveNameOf(name)
      const from = since === undefined ? new Map() : await offsetsAt(archive, since.getTime() - marginMs)
      const part = (partition: number, { low, high }: Range) => ({
        low: Math.max(low, from.get(partition) ?? low),
        high,
      })
      const read = await readTopic(archive, (records) => onSlice(name, records), { part })
      if (E.isLeft(read)) throw new Error(`${archive} cannot be read: ${read.left.reason}`)
    }
    await Promise.all(names.map(readOne))
  }

  /** Idempotent. The projector processes by itself, in order, what it has not committed yet. */
  const applyAll = async () => {
    const ids = await topicIds(names)
    const taken = new Map<Name, Offsets>()
    for (const name of names) taken.set(name, await committed('projector', name))
    await readNew(async (topic, archived) => {
      for (const found of await withoutKeys(archived.filter(mayErase))) {
        const decoded = found.kind === 'record' ? deps.decode(found.record) : undefined
        if (found.kind !== 'record' || decoded === undefined || E.isLeft(decoded)) continue
        const { record, generation } = found
        if (!isErasure(record, decoded)) continue
        const { partition, offset } = record
        const [id, isCurrent] = [keyId(topic, record.key), generation === ids.get(topic)]
        const erased = (await keys.find([id])).get(id)?.erased
        // A key that was erased in a newer topic of that name was erased in this one before.
        if (isCurrent || erased === undefined || erased.generation === generation)
          await keys.destroy(id, { generation, partition, offset })
        const isTaken = offset < (taken.get(topic)?.get(partition) ?? 0)
        if (isCurrent && isTaken) await deps.empty(record, decoded.right)
      }
    })
  }
  const apply = once(applyAll)
  const readAgain = once(async (restore: Restore) => readNew(async (_, records) => void (await restore(records))))

  /** Why archiving must not continue: MongoDB lacks the data key of a record that was archived since and not erased. */
  const lostKey = async (restore: Restore): Promise<string | undefined> => {
    try {
      await readAgain(restore)
      isKnown = true
      return undefined
    } catch (error) {
      if (error instanceof KeyLost) return error.message
      throw error
    }
  }
  let isKnown = false
  let before: { readonly at: number; readonly ends: ReadonlyMap<Name, Offsets> } | undefined
  /**
   * Must be called repeatedly. What was in the topics at one call and is committed by the projector at a later call is
   * permanently in MongoDB. So MongoDB has every erasure that was archived before the first of these calls.
   */
  const look = async (): Promise<void> => {
    if (!isKnown) return
    const at = now()
    const ends = new Map<Name, Offsets>()
    for (const name of names) ends.set(name, await endOffsets(name))
    before ??= { at, ends }
    for (const [name, until] of before.ends) {
      const done = await committed('projector', name)
      if ([...until].some(([partition, end]) => (done.get(partition) ?? 0) < end)) return
    }
    await keepKnownUntil(new Date(before.at))
    before = { at, ends }
  }
  return { apply, lostKey, look }
}

/** Each call runs `work`, until it has succeeded once. */
const once = <A extends ReadonlyArray<unknown>>(work: (...args: A) => Promise<void>) => {
  let isDone = false
  return async (...args: A): Promise<void> => {
    if (!isDone) await work(...args)
    isDone = true
  }
}
