import type { Consumer } from 'kafkajs'
import type { TopicName } from '../../../../contracts/topics.ts'
import type { ConsumerSpec } from '../../domain/log/consumer.ts'
import type { TopicIds } from '../../domain/log/positions.ts'
import { partitionName } from '../../domain/log/record.ts'
import type { Measure } from '../../domain/metrics.ts'
import { backoff } from '../../shared/backoff.ts'
import type { Log } from '../../shared/log.ts'
import { semaphore } from '../../shared/semaphore.ts'
import { sleep } from '../../shared/time.ts'
import { kafkaReasonOf } from '../errors.ts'
import { type FindStartOffsets, refusal, type Start, type TopicPartition, TopicsRefused } from './committed-offsets.ts'
import { type Room, roomFor, roomOf } from './fetch-buffer.ts'
import type { Assignment } from './kafkajs-consumer.ts'
import { type PartitionReader, partitionReader } from './partition-reader.ts'

/** A partition that is read. */
type Owned = {
  readonly name: string
  readonly topic: TopicName
  readonly partition: number
  /** All records before this offset are handled. */
  readonly position: number
  /** Whether all its fetched records are handled. */
  readonly isWaiting: boolean
  /** The leader epoch of the record before the position, if it is known. */
  readonly epoch?: number | undefined
}

/** The readers of the current generation, and the handlers of earlier generations that still run. */
export type Readers = {
  readonly all: () => ReadonlyArray<PartitionReader>
  readonly get: (name: string) => PartitionReader | undefined
  readonly set: (name: string, reader: PartitionReader) => void
  /** The ids of the topics that are read, if they are known. */
  readonly topicIds: () => TopicIds
  readonly owned: () => ReadonlyArray<Owned>
  /** Settles when no handler of an earlier reader of this partition runs any more. */
  readonly previousHandled: (name: string) => Promise<void>
  /** Ends the generation: later results of its handlers are ignored. */
  readonly retire: () => void
}

/** `unfinishedHandlers` survives a restart of the consumer, since its handlers may still run. */
export const readersOf = (unfinishedHandlers: Map<string, Promise<void>>): Readers => {
  const readers = new Map<string, PartitionReader>()
  const keepUntilHandled = (name: string, handled: Promise<void>) => {
    const all = Promise.all([unfinishedHandlers.get(name), handled]).then(() => {
      if (unfinishedHandlers.get(name) === all) unfinishedHandlers.delete(name)
    })
    unfinishedHandlers.set(name, all)
  }
  return {
    all: () => [...readers.values()],
    get: (name) => readers.get(name),
    set: (name, reader) => readers.set(name, reader),
    topicIds: () =>
      new Map(
        [...readers.values()].flatMap(({ topic, topicId }) => (topicId === '' ? [] : [[topic, topicId] as const])),
      ),
    owned: () =>
      [...readers].map(([name, { topic, partition, isIdle, handledUpTo, epochBefore }]) => ({
        name,
        topic,
        partition,
        position: handledUpTo(),
        isWaiting: isIdle(),
        epoch: epochBefore(handledUpTo()),
      })),
    previousHandled: (name) => unfinishedHandlers.get(name) ?? Promise.resolve(),
    retire: () => {
      for (const [name, reader] of readers) {
        reader.retire()
        keepUntilHandled(name, reader.handled())
      }
      readers.clear()
    },
  }
}

const pauseAfterFailure = { baseMs: 100, capMs: 2_000 }
/** A limit, so that some partitions are fetched while others are handled. */
const catchUpsAtOnce = 3

/** Has kafkajs fetch from a partition only while its reader wants more. It fetches nothing at first. */
const fetchingOf = (
  consumer: Pick<Consumer, 'pause' | 'resume'>,
  partition: { readonly topic: string; readonly partitions: number[] },
  end: (reason: string) => void,
) => {
  let isFetching = false
  return (isWanted: boolean): void => {
    if (isWanted === isFetching) return
    isFetching = isWanted
    try {
      if (isWanted) consumer.resume([partition])
      else consumer.pause([partition])
    } catch (error) {
      // kafkajs has crashed, and its CRASH event comes later. A handler may call this, and it must not fail here.
      end(kafkaReasonOf(error))
    }
  }
}

/** Processes each assignment of the group: makes a reader for each partition, from its start offset. */
export const generations = ({
  spec,
  prefix,
  consumer,
  readers,
  findStartOffsets,
  isOver,
  end,
  isMember,
  ready,
  clock,
  log,
  measure,
}: {
  readonly spec: ConsumerSpec
  readonly prefix: string
  readonly consumer: Pick<Consumer, 'pause' | 'resume' | 'seek'>
  readonly readers: Readers
  readonly findStartOffsets: FindStartOffsets
  readonly isOver: () => boolean
  /** Ends the session when an assignment cannot be processed. */
  readonly end: (reason: string) => void
  readonly isMember: () => boolean
  /** Called when each assigned partition has its reader. */
  readonly ready: () => void
  readonly clock: () => number
  readonly log: Log
  readonly measure: Measure
}) => {
  const acquire = semaphore(catchUpsAtOnce)
  let current = 0

  const known = new Map(spec.topics.map((topic) => [`${prefix}${topic}`, topic]))
  const nameAt = ({ topic, partition }: { readonly topic: string; readonly partition: number }) =>
    `${known.get(topic)}/${partition}`
  const at = ({ topic, partition }: TopicPartition) => ({ topic: `${prefix}${topic}`, partitions: [partition] })

  const startsWithin = async (partitions: ReadonlyArray<TopicPartition>, isCurrent: () => boolean) => {
    for (let failures = 1; isCurrent(); failures++) {
      try {
        return await findStartOffsets(partitions)
      } catch (error) {
        if (error instanceof TopicsRefused) end(`${refusal}${error.message}`)
        log.debug({ group: spec.group, reason: kafkaReasonOf(error) }, 'kafka: start offsets are not known yet')
        await sleep(backoff(failures, pauseAfterFailure, Math.random))
      }
    }
    return []
  }
  const startReader = ({ topic, partition, topicId, start, epoch }: Start, room: Room, isCurrent: () => boolean) => {
    const name = partitionName({ topic, partition })
    const fetchIfWanted = fetchingOf(consumer, at({ topic, partition }), end)
    const adjust = () => {
      if (isCurrent()) fetchIfWanted(reader.wantsMore())
    }
    const reader = partitionReader({
      spec,
      topic,
      partition,
      topicId,
      start,
      epoch,
      isMember,
      acquire,
      room,
      sleep,
      clock,
      log,
      measure,
      previousHandled: readers.previousHandled(name),
      random: Math.random,
      changed: adjust,
    })
    readers.set(name, reader)
    consumer.seek({ topic: `${prefix}${topic}`, partition, offset: String(start) })
    adjust()
  }
  const begin = async (assignment: Assignment) => {
    const generation = ++current
    const isCurrent = () => generation === current && !isOver()
    readers.retire()
    const partitions = Object.entries(assignment).flatMap(([name, numbers]) => {
      const topic = known.get(name)
      return topic === undefined ? [] : numbers.map((partition) => ({ topic, partition }))
    })
    // Must happen before kafkajs fetches: it would begin at the committed offset, not at the start offset.
    consumer.pause(partitions.map(at))
    spec.onAssigned?.([...new Set(partitions.map(({ partition }) => partition))].sort((a, b) => a - b))
    const starts = await startsWithin(partitions, isCurrent)
    if (!isCurrent()) return
    const room = roomOf(roomFor(spec.catchUpRecords), () => {
      if (isCurrent()) for (const reader of readers.all()) reader.roomChanged()
    })
    for (const start of starts) startReader(start, room, isCurrent)
    ready()
    log.info({ group: spec.group, partitions: starts.length }, 'kafka: a consumer has joined its group')
  }
  return {
    nameOf: nameAt,
    /** The group rebalances: the assignment is no longer valid. */
    revoke: (): void => {
      current++
      readers.retire()
    },
    begin: (assignment: Assignment): void => {
      begin(assignment).catch((error: unknown) =>
        end(`reading the assigned partitions could not start: ${kafkaReasonOf(error)}`),
      )
    },
  }
}
