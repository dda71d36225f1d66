import type { TopicName } from '../../../../contracts/topics.ts'
import { tracingSlice } from '../../adapters/tracing.ts'
import type { ConsumerSpec, OwnedPartition } from '../../domain/log/consumer.ts'
import type { IncomingRecord } from '../../domain/log/record.ts'
import type { Measure } from '../../domain/metrics.ts'
import { backoff } from '../../shared/backoff.ts'
import { faultOf } from '../../shared/fault.ts'
import type { Log } from '../../shared/log.ts'
import type { Acquire } from '../../shared/semaphore.ts'
import type { Sleep } from '../../shared/time.ts'
import { catchUpOf, fetchBuffer, type Room } from './fetch-buffer.ts'

type HandlerFailure = { readonly since: number; readonly failures: number; readonly error: string }

/** One partition while it is assigned to this member, in one generation of the group. */
export type PartitionReader = {
  readonly topic: TopicName
  readonly partition: number
  readonly topicId: string
  /** The next offset to fetch. */
  readonly position: () => number
  /** The offset of the first record that is not handled. If all are that were fetched: the next offset to fetch. */
  readonly handledUpTo: () => number
  /** The offset to commit: the one after the last finished record. Undefined while there is none. */
  readonly finished: () => number | undefined
  /** The leader epoch of the last record before an offset, from those that were read. Undefined if it is not known. */
  readonly epochBefore: (offset: number) => number | undefined
  /** `epoch`: the leader epoch of the record before `next`, which may be a transaction's marker. */
  readonly add: (records: ReadonlyArray<IncomingRecord>, next: number, end: number, epoch?: number | undefined) => void
  readonly wantsMore: () => boolean
  readonly isIdle: () => boolean
  /** The handler's failures since its last success. Undefined if there are none. */
  readonly failing: () => HandlerFailure | undefined
  /** When the handler got its current slice. Undefined if it has none. */
  readonly busySince: () => number | undefined
  /** The room of all partitions has become full, or is no longer full. */
  readonly roomChanged: () => void
  /** Settles when no handler runs. */
  readonly handled: () => Promise<void>
  /** Begins no further slice. The handler may finish its current slice. */
  readonly close: () => void
  /** As `close`, and later results of the handler are ignored. */
  readonly retire: () => void
}

/** A partition that is assigned, and what its reader uses. */
type Assigned = {
  readonly spec: Pick<ConsumerSpec, 'group' | 'handle' | 'onOwned' | 'commit' | 'catchUpRecords'>
  readonly topic: TopicName
  readonly partition: number
  /** The id of the topic that is read. Empty if the broker has no topic ids. */
  readonly topicId: string
  /** The first offset to read, and the leader epoch of the record before it, if it is known. */
  readonly start: number
  readonly epoch?: number | undefined
  /** Settles when no handler of an earlier reader of this partition runs in this process any more. */
  readonly previousHandled: Promise<unknown>
  /** Whether this consumer is still a member of the group. */
  readonly isMember: () => boolean
  /** Called when `wantsMore` may have changed. */
  readonly changed: () => void
  /** Limits how many partitions catch up at once. */
  readonly acquire: Acquire
  /** What all partitions of the consumer hold. */
  readonly room: Room
  readonly sleep: Sleep
  readonly random: () => number
  readonly clock: () => number
  readonly log: Log
  readonly measure: Measure
}

const pauseAfterFailure = { baseMs: 100, capMs: 5_000 }

/** The leader epochs of a partition's records, each with its first record that was read. There are few. */
const epochsOf = (start: number, before: number | undefined) => {
  const known = before === undefined ? [] : [{ from: start - 1, epoch: before }]
  return {
    add: (records: ReadonlyArray<{ readonly offset: number; readonly epoch?: number | undefined }>) => {
      for (const { epoch, offset } of records)
        if (epoch !== undefined && epoch !== known.at(-1)?.epoch) known.push({ from: offset, epoch })
    },
    before: (offset: number) => known.findLast(({ from }) => from < offset)?.epoch,
  }
}

/** Pauses that overlap. Each is ended once, by what `pause` returns. */
const overlappingPauses = (changed: () => void, resumed: () => void) => {
  let count = 0
  const pause = () => {
    let isPaused = true
    count++
    changed()
    return () => {
      if (!isPaused) return
      isPaused = false
      count--
      resumed()
    }
  }
  return { pause, isPaused: () => count > 0 }
}

/** Calls the handler. `handle` is true if the handler has succeeded. Otherwise it waits, longer after each failure. */
const handlerCalls = (assigned: Assigned, owned: OwnedPartition, closed: AbortSignal) => {
  const { spec, topic, partition, sleep, random, clock, log } = assigned
  let failing: HandlerFailure | undefined
  let busySince: number | undefined

  const failed = (error: unknown, offset: number | undefined) => {
    const name = error instanceof Error ? error.name : typeof error
    failing = { since: failing?.since ?? clock(), failures: (failing?.failures ?? 0) + 1, error: name }
    const fields = { group: spec.group, topic, partition, offset, failures: failing.failures, error: faultOf(error) }
    if (failing.failures === 1) log.warn(fields, 'kafka: a handler failed; its slice is retried')
    else log.debug(fields, 'kafka: a handler failed again')
    return sleep(backoff(failing.failures, pauseAfterFailure, random), closed)
  }
  const handle = async (records: ReadonlyArray<IncomingRecord>): Promise<boolean> => {
    busySince = clock()
    try {
      const slice = { topic, partition, records }
      // A handler that commits by itself continues after this call, and makes a span for each record.
      if (spec.commit === 'by-handler') await spec.handle(slice, owned)
      else await tracingSlice(slice, spec.group, () => spec.handle(slice, owned))
      failing = undefined
      return true
    } catch (error) {
      busySince = undefined
      await failed(error, records[0]?.offset)
      return false
    } finally {
      busySince = undefined
    }
  }
  return { handle, failing: () => failing, busySince: () => busySince }
}

/** Calls the handler with slice after slice. If the handler throws, it gets the same slice again. */
export const partitionReader = (assigned: Assigned): PartitionReader => {
  const { spec, topic, partition, topicId, start, previousHandled, isMember, changed, acquire, sleep, measure } =
    assigned
  const buffer = fetchBuffer(assigned.room, spec.catchUpRecords)
  const epochs = epochsOf(start, assigned.epoch)
  const closed = new AbortController()
  let isRetired = false
  let position = start
  let end = start
  let finished: number | undefined
  let running: Promise<void> | undefined

  const { pause, isPaused } = overlappingPauses(changed, () => {
    work()
    changed()
  })
  const catchUp = catchUpOf({
    buffer,
    acquire,
    sleep,
    changed,
    closed: closed.signal,
    notFetched: () => end - position,
    isPaused,
  })
  const isCurrent = () => !isRetired && isMember()
  const done = (offset: number) => {
    if (isCurrent()) finished = Math.max(finished ?? start, offset + 1)
  }
  const owned: OwnedPartition = { isCurrent, done, pause }
  const { handle, failing, busySince } = handlerCalls(assigned, owned, closed.signal)

  const run = async () => {
    await previousHandled
    for (let slice = buffer.first(); slice !== undefined && !closed.signal.aborted; slice = buffer.first()) {
      const isFailing = failing() !== undefined
      // The first slice is never large, so that a member that restarts every few seconds makes progress too.
      const mayCatchUp = spec.catchUpRecords !== undefined && finished !== undefined && !isFailing
      using _permit = mayCatchUp ? await catchUp.fill() : undefined
      if (closed.signal.aborted || (isPaused() && !isFailing)) break
      slice = buffer.begin() ?? slice
      if (!(await handle(slice.records)) || !isCurrent()) continue
      buffer.shift()
      if (spec.commit === 'when-handled') done(slice.next - 1)
      measure.consumed(spec.group, topic, partition, slice.records.length, Math.max(0, end - slice.next))
      changed()
    }
    running = undefined
  }
  const work = () => {
    if (!closed.signal.aborted && buffer.first() !== undefined) running ??= run()
  }
  const close = () => closed.abort()
  previousHandled.then(() => {
    if (!closed.signal.aborted) spec.onOwned?.(topic, partition, owned)
  })

  return {
    topic,
    partition,
    topicId,
    position: () => position,
    handledUpTo: () => buffer.first()?.records[0]?.offset ?? position,
    finished: () => finished,
    epochBefore: epochs.before,
    add: (records, next, highWatermark, epoch) => {
      epochs.add(records)
      epochs.add([{ offset: next - 1, epoch }])
      position = next
      end = Math.max(highWatermark, next)
      buffer.add(records, next)
      catchUp.check()
      work()
      changed()
    },
    wantsMore: () => !closed.signal.aborted && !isPaused() && !buffer.isFull(),
    isIdle: () => buffer.first() === undefined && !isPaused(),
    failing,
    busySince,
    roomChanged: () => {
      catchUp.check()
      changed()
    },
    handled: () => running ?? Promise.resolve(),
    close,
    retire: () => {
      isRetired = true
      measure.partitionLeft(spec.group, topic, partition)
      close()
    },
  }
}
