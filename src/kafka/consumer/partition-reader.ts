import type { TopicName } from '../../../contracts/topics.ts'
import type { ConsumerSpec, IncomingRecord, Log, Measure, OwnedPartition, Sleep } from '../../domain/ports.ts'
import { backoff } from '../../shared/backoff.ts'
import type { Acquire } from '../../shared/semaphore.ts'
import { depthOf } from './depth.ts'
import { partitionQueue } from './partition-queue.ts'
import type { PartitionReader, Trouble } from './reader.ts'

type Deps = {
  readonly spec: Pick<ConsumerSpec, 'group' | 'handle' | 'commit' | 'deepRecords'>
  readonly topic: TopicName
  readonly partition: number
  /** Of the topic that is read; empty where the broker has none. */
  readonly topicId: string
  /** The first offset that is read. */
  readonly start: number
  /** Settles when no earlier owner's handler of this partition runs in this process any more. */
  readonly before: Promise<unknown>
  /** Whether the group still counts on this member. */
  readonly isMember: () => boolean
  /** Called when it may want more, or no more, to be fetched. */
  readonly changed: () => void
  /** Shared by all that are read in depth. */
  readonly takeTurn: Acquire
  readonly sleep: Sleep
  readonly random: () => number
  readonly clock: () => number
  readonly log: Log
  readonly measure: Pick<Measure, 'consumed' | 'partitionLeft'>
}

const pause = { baseMs: 100, capMs: 5_000 }

/** Calls the handler with slice after slice; one that throws, whatever it throws, gets the same slice again after a pause. */
export const partitionReader = (deps: Deps): PartitionReader => {
  const {
    spec,
    topic,
    partition,
    topicId,
    start,
    before,
    isMember,
    changed,
    takeTurn,
    sleep,
    random,
    clock,
    log,
    measure,
  } = deps
  const queue = partitionQueue(spec.deepRecords)
  const closed = new AbortController()
  let retired = false
  let position = start
  let end = start
  let finished: number | undefined
  let holds = 0
  let trouble: Trouble | undefined
  let busySince: number | undefined
  let running: Promise<void> | undefined

  const depth = depthOf({
    ...{ queue, takeTurn, sleep, changed, closed: closed.signal },
    behind: () => end - position,
    isHeld: () => holds > 0,
  })
  const isCurrent = () => !retired && isMember()
  const done = (offset: number) => {
    if (isCurrent()) finished = Math.max(finished ?? start, offset + 1)
  }
  const hold = () => {
    let held = true
    holds++
    changed()
    return () => {
      if (!held) return
      held = false
      holds--
      work()
      changed()
    }
  }
  const owned: OwnedPartition = { isCurrent, done, pause: hold }

  const failed = (error: unknown, offset: number | undefined) => {
    const name = error instanceof Error ? error.name : typeof error
    trouble = { since: trouble?.since ?? clock(), failures: (trouble?.failures ?? 0) + 1, error: name }
    const at = error instanceof Error ? error.stack?.split('\n    at ')[1] : undefined
    const fields = { group: spec.group, topic, partition, offset, failures: trouble.failures, error: name, at }
    if (trouble.failures === 1) log.warn(fields, 'kafka: a handler failed and gets its slice again')
    else log.debug(fields, 'kafka: a handler failed again')
    return sleep(backoff(trouble.failures, pause, random), closed.signal)
  }
  const handle = async (records: ReadonlyArray<IncomingRecord>): Promise<boolean> => {
    busySince = clock()
    try {
      await spec.handle({ topic, partition, records }, owned)
      return true
    } catch (error) {
      busySince = undefined
      await failed(error, records[0]?.offset)
      return false
    } finally {
      busySince = undefined
    }
  }
  const run = async () => {
    await before
    for (let piece = queue.first(); piece !== undefined && !closed.signal.aborted; piece = queue.first()) {
      // The first slice is never deep: who is stopped or rebalanced every few seconds gets on all the same.
      const isDeep = spec.deepRecords !== undefined && finished !== undefined && trouble === undefined
      using _turn = isDeep ? await depth.wait() : undefined
      if (closed.signal.aborted || (holds > 0 && trouble === undefined)) break
      piece = queue.begin() ?? piece
      if (!(await handle(piece.records)) || !isCurrent()) continue
      trouble = undefined
      queue.shift()
      if (spec.commit === 'when-handled') done(piece.next - 1)
      measure.consumed(spec.group, topic, partition, piece.records.length, Math.max(0, end - piece.next))
      changed()
    }
    running = undefined
  }
  const work = () => {
    if (!closed.signal.aborted && queue.first() !== undefined) running ??= run()
  }
  const close = () => closed.abort()

  return {
    topic,
    partition,
    topicId,
    position: () => position,
    finished: () => finished,
    add: (records, next, highWatermark) => {
      position = next
      end = Math.max(highWatermark, next)
      queue.add(records, next)
      depth.look()
      work()
      changed()
    },
    wantsMore: () => !closed.signal.aborted && holds === 0 && !queue.isFull(),
    isIdle: () => queue.first() === undefined && holds === 0,
    trouble: () => trouble,
    busySince: () => busySince,
    handled: () => running ?? Promise.resolve(),
    close,
    retire: () => {
      retired = true
      measure.partitionLeft(spec.group, topic, partition)
      close()
    },
  }
}
