import type { TopicName } from '../../../contracts/topics.ts'
import type { ConsumerSpec, IncomingRecord, Log, Measure, OwnedPartition, Sleep } from '../../ports.ts'
import { backoff } from '../backoff.ts'
import { partitionQueue } from './partition-queue.ts'
import type { TakeTurn } from './turns.ts'

type Deps = {
  readonly spec: Pick<ConsumerSpec, 'group' | 'handle' | 'commit' | 'inDepth'>
  readonly topic: TopicName
  readonly partition: number
  /** The first offset that is read. */
  readonly start: number
  /** Settles when no earlier owner's handler of this partition runs in this process any more. */
  readonly before: Promise<unknown>
  /** Whether the group still counts on this member. */
  readonly isMember: () => boolean
  /** Called when it may want more, or no more, to be fetched. */
  readonly changed: () => void
  /** Shared by all that are read in depth. */
  readonly takeTurn: TakeTurn
  readonly sleep: Sleep
  readonly random: () => number
  readonly clock: () => number
  readonly log: Log
  readonly measure: Pick<Measure, 'consumed' | 'partitionLeft'>
}

export type Trouble = { readonly since: number; readonly failures: number; readonly error: string }

/** One partition while it is this member's, in one generation of the group. */
export type PartitionReader = {
  readonly topic: TopicName
  readonly partition: number
  /** The offset that is to be fetched next. */
  readonly position: () => number
  /** The offset after the last finished record, to be committed; undefined while there is none. */
  readonly finished: () => number | undefined
  readonly add: (records: ReadonlyArray<IncomingRecord>, next: number, end: number) => void
  readonly wantsMore: () => boolean
  readonly isIdle: () => boolean
  readonly trouble: () => Trouble | undefined
  /** Since when the handler has the slice that it has now. */
  readonly busySince: () => number | undefined
  /** Settles when no handler runs. */
  readonly handled: () => Promise<void>
  /** Begins no further slice; what runs may finish. */
  readonly close: () => void
  /** The same, and what still runs has no effect any more. */
  readonly retire: () => void
}

const pause = { baseMs: 100, capMs: 5_000 }
const farBehind = 1_000
const gatherWithinMs = 1_000

/** Calls the handler with slice after slice; one that throws, whatever it throws, gets the same slice again after a pause. */
export const partitionReader = (deps: Deps): PartitionReader => {
  const { spec, topic, partition, start, before, isMember, changed, takeTurn, sleep, random, clock, log, measure } =
    deps
  const queue = partitionQueue(spec.inDepth)
  const closed = new AbortController()
  let retired = false
  let position = start
  let end = start
  let finished: number | undefined
  let holds = 0
  let trouble: Trouble | undefined
  let busySince: number | undefined
  let running: Promise<void> | undefined
  let enough = new AbortController()

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
  const isEnough = () => closed.signal.aborted || holds > 0 || queue.isFull() || position >= end
  /** Lets a partition that is far behind gather until a deep slice is there; gives back the turn that it has taken. */
  const gathered = async (): Promise<() => void> => {
    if (end - position + queue.records() < farBehind || trouble !== undefined) return () => {}
    const giveBack = await takeTurn(closed.signal)
    queue.deepen(true)
    changed()
    enough = new AbortController()
    if (!isEnough()) await sleep(gatherWithinMs, enough.signal)
    queue.deepen(false)
    changed()
    return giveBack
  }
  const handleFirst = async (): Promise<boolean> => {
    const giveBack = spec.inDepth ? await gathered() : undefined
    const piece = queue.begin()
    try {
      return piece !== undefined && !closed.signal.aborted && (await handle(piece.records))
    } finally {
      giveBack?.()
    }
  }
  const run = async () => {
    await before
    for (let piece = queue.first(); piece !== undefined && !closed.signal.aborted; piece = queue.first()) {
      if (holds > 0 && trouble === undefined) break
      if (!(await handleFirst()) || !isCurrent()) continue
      piece = queue.first() ?? piece
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
  const close = () => {
    closed.abort()
    enough.abort()
  }

  return {
    topic,
    partition,
    position: () => position,
    finished: () => finished,
    add: (records, next, highWatermark) => {
      position = next
      end = Math.max(highWatermark, next)
      queue.add(records, next)
      if (isEnough()) enough.abort()
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
