import type { Consumer, EachBatchPayload } from 'kafkajs'
import type { ConsumerSpec } from '../../domain/log/consumer.ts'
import type { CompareLog } from '../../domain/log/positions.ts'
import type { Measure } from '../../domain/metrics.ts'
import type { Log } from '../../shared/log.ts'
import { sleep } from '../../shared/time.ts'
import { settled } from '../../shared/timeout.ts'
import type { NewClient } from '../client.ts'
import { kafkaReasonOf } from '../errors.ts'
import { type FindStartOffsets, offsetCommitter } from './committed-offsets.ts'
import { generations, type Readers, readersOf } from './generations.ts'
import { failureOf, isMember, observeActivity, unhealthyReason } from './health.ts'
import { consumerOf } from './kafkajs-consumer.ts'
import { takingBatches } from './take-batch.ts'

/** What all sessions of a process have in common. */
export type SessionContext = {
  readonly newClient: NewClient
  readonly prefix: string
  readonly groupPrefix: string
  readonly compareLog: CompareLog
  readonly clock: () => number
  readonly log: Log
  readonly measure: Measure
}

/** A kafkajs consumer from joining its group until it fails or is stopped. It is never reused. */
export type Session = {
  /** Resolves with the reason when the session has ended. */
  readonly ended: Promise<string>
  readonly unhealthyReason: () => string | undefined
  readonly partitions: () => number
  readonly topicIds: Readers['topicIds']
  /** The caller determines the ends of their logs. */
  readonly owned: Readers['owned']
  readonly end: (reason: string) => void
  /** Waits for running handlers (4 s at most), commits and leaves the group. */
  readonly stop: () => Promise<void>
}

/** `eachBatch` must not wait for a handler: kafkajs would not fetch or send heartbeats for any partition meanwhile. */
const run = async (
  consumer: Consumer,
  topics: string[],
  eachBatch: (given: EachBatchPayload) => Promise<void>,
): Promise<void> => {
  await consumer.connect()
  await consumer.subscribe({ topics, fromBeginning: true })
  await consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch })
}

const commitEveryMs = 200
const checkEveryMs = 1_000
const handlersWithinMs = 4_000
const commitWithinMs = 2_000
const leaveWithinMs = 2_000

export const startSession = (
  spec: ConsumerSpec,
  {
    newClient,
    prefix,
    groupPrefix,
    group,
    findStartOffsets,
    compareLog,
    unfinishedHandlers,
    clock,
    log,
    measure,
  }: SessionContext & {
    readonly group: string
    readonly findStartOffsets: FindStartOffsets
    /** Handlers of earlier sessions that still run, by partition. */
    readonly unfinishedHandlers: Map<string, Promise<void>>
  },
): Session => {
  const client = newClient({ retries: 2, initialRetryTime: 100, maxRetryTime: 1_000 })
  const consumer = consumerOf(client.kafka, `${groupPrefix}${group}`, spec)
  const { promise: ended, resolve } = Promise.withResolvers<string>()
  const readers = readersOf(unfinishedHandlers)
  const activity = observeActivity(consumer, clock)
  let payload: EachBatchPayload | undefined
  let over = false

  const end = (reason: string) => {
    if (over) return
    over = true
    clearInterval(committing)
    clearInterval(checking)
    readers.retire()
    resolve(reason)
  }
  const close = async () => {
    await settled(consumer.disconnect(), leaveWithinMs)
    client.sockets.close()
  }
  const committer = offsetCommitter({
    prefix,
    clock,
    readers: readers.all,
    commit: () => {
      const member = payload
      return member && ((offsets) => member.commitOffsetsIfNecessary(offsets).then(activity.contact))
    },
  })
  const now = () => ({ ...activity.now(), commitFailsSince: committer.failsSince() })
  const generation = generations({
    spec,
    prefix,
    consumer,
    readers,
    findStartOffsets,
    clock,
    log,
    measure,
    end,
    ready: activity.ready,
    isOver: () => over,
    isMember: () => {
      // After a freeze, a process still believes that it owns partitions that the group has assigned to others.
      const member = !over && isMember(now(), clock(), spec.sessionTimeoutMs)
      if (!member) end('may no longer be a member of the group')
      return member
    },
  })
  // Commits run only from timers: no timer runs between kafkajs's change of its generation and the listeners below.
  const committing = setInterval(committer.flush, commitEveryMs)
  const checking = setInterval(() => {
    const reason = failureOf(now(), clock(), spec.sessionTimeoutMs)
    if (reason !== undefined) end(reason)
  }, checkEveryMs)

  const { GROUP_JOIN, REBALANCING, REQUEST_TIMEOUT, CRASH } = consumer.events
  consumer.on(REBALANCING, () => {
    // The last commit of this generation. The next owner handles records again that are finished later.
    void committer.flush()
    generation.revoke()
    activity.joining()
  })
  consumer.on(GROUP_JOIN, ({ payload: { memberAssignment } }) => {
    activity.contact()
    activity.joining()
    if (!over) generation.begin(memberAssignment)
  })
  consumer.on(REQUEST_TIMEOUT, () => client.sockets.destroy('a request was not answered in time'))
  consumer.on(CRASH, ({ payload: { error } }) => end(kafkaReasonOf(error)))

  const take = takingBatches(compareLog, end)
  const eachBatch = async (given: EachBatchPayload) => {
    payload = given
    const reader = readers.get(generation.nameOf(given.batch))
    if (reader !== undefined && (await take(given.batch, reader))) given.resolveOffset(given.batch.lastOffset())
  }
  const topics = spec.topics.map((topic) => `${prefix}${topic}`)
  run(consumer, topics, eachBatch).catch((error: unknown) => end(kafkaReasonOf(error)))
  ended.then(close)

  return {
    ended,
    end,
    partitions: () => readers.all().length,
    topicIds: readers.topicIds,
    owned: readers.owned,
    unhealthyReason: () => unhealthyReason(now(), clock(), readers.all()),
    stop: async () => {
      for (const reader of readers.all()) reader.close()
      await settled(Promise.all(readers.all().map((reader) => reader.handled())), handlersWithinMs)
      await sleep(0)
      if (!over) await settled(committer.flush().then(committer.flush), commitWithinMs)
      end('stopped')
      await close()
    },
  }
}
