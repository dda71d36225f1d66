import type { EachBatchPayload } from 'kafkajs'
import type { TopicName } from '../../../contracts/topics.ts'
import type { ConsumerSpec, Log, Measure, TopicIds } from '../../domain/ports.ts'
import { sleep } from '../../shared/time.ts'
import { settled } from '../../shared/timeout.ts'
import type { NewClient } from '../client.ts'
import { reasonOf } from '../errors.ts'
import { batchTaker } from './batch-taker.ts'
import { commits } from './commits.ts'
import { followSigns } from './follow-signs.ts'
import { generations } from './generations.ts'
import { consumerOf } from './kafkajs-consumer.ts'
import type { FindStarts } from './positions.ts'
import { nameOf, readersOf } from './readers.ts'
import { brokenBy, isMember, troubleOf } from './signs.ts'
import type { Place } from './standstill.ts'

export type SessionDeps = {
  readonly newClient: NewClient
  readonly prefix: string
  readonly groupPrefix: string
  readonly group: string
  readonly findStarts: FindStarts
  /** Handlers that earlier sessions have left running, by partition. */
  readonly leftovers: Map<string, Promise<void>>
  readonly clock: () => number
  readonly log: Log
  readonly measure: Pick<Measure, 'consumed' | 'partitionLeft'>
}

/** One life of a consumer: from joining its group until it breaks or is stopped. */
export type Session = {
  /** Why it is over. */
  readonly ended: Promise<string>
  readonly trouble: () => string | undefined
  readonly partitions: () => number
  /** Of the topics that it reads, where they are known. */
  readonly topicIds: () => TopicIds
  /** Partitions that wait for records; where their logs end is for the caller to find out. */
  readonly waiting: () => ReadonlyArray<Omit<Place, 'end'> & { readonly topic: TopicName; readonly partition: number }>
  readonly end: (reason: string) => void
  /** Finishes what runs, commits and leaves the group. */
  readonly stop: () => Promise<void>
}

const commitEveryMs = 200
const checkEveryMs = 1_000
const handlersWithinMs = 4_000
const commitWithinMs = 2_000
const leaveWithinMs = 2_000

export const startSession = (spec: ConsumerSpec, deps: SessionDeps): Session => {
  const { newClient, prefix, groupPrefix, group, findStarts, leftovers, clock, log, measure } = deps
  const client = newClient({ retries: 2, initialRetryTime: 100, maxRetryTime: 1_000 })
  const consumer = consumerOf(client.kafka, `${groupPrefix}${group}`, spec.gatherBytes)
  const { promise: ended, resolve } = Promise.withResolvers<string>()
  const readers = readersOf(leftovers)
  const signs = followSigns(consumer, clock)
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
  const commit = commits({
    ...{ prefix, clock, readers: readers.all },
    commit: () => {
      const member = payload
      return member && ((offsets) => member.commitOffsetsIfNecessary(offsets).then(signs.contact))
    },
  })
  const now = () => ({ ...signs.now(), commitFailsSince: commit.failsSince() })
  const generation = generations({
    ...{ spec, prefix, consumer, readers, findStarts, clock, log, measure, end, ready: signs.ready },
    isOver: () => over,
    isMember: () => {
      // A process that was frozen wakes up believing that it owns what others have taken over: it has to doubt that first.
      const member = !over && isMember(now(), clock())
      if (!member) end('no longer sure to be a member of the group')
      return member
    },
  })
  // By timers only: between two turns of the event loop kafkajs's generation and ours are the same.
  const committing = setInterval(commit.flush, commitEveryMs)
  const checking = setInterval(() => {
    const reason = brokenBy(now(), clock())
    if (reason !== undefined) end(reason)
  }, checkEveryMs)

  const { GROUP_JOIN, REBALANCING, REQUEST_TIMEOUT, CRASH } = consumer.events
  consumer.on(REBALANCING, () => {
    // The last word of this generation; what its handlers finish from here on is another's to do again.
    void commit.flush()
    generation.revoke()
    signs.joining()
  })
  consumer.on(GROUP_JOIN, ({ payload: { memberAssignment } }) => {
    signs.contact()
    signs.joining()
    if (!over) generation.begin(memberAssignment)
  })
  consumer.on(REQUEST_TIMEOUT, () => client.sockets.destroy('a request was not answered in time'))
  consumer.on(CRASH, ({ payload: { error } }) => end(reasonOf(error)))

  const take = batchTaker((name) => end(`is sent records of another place: ${name}`))
  const run = async () => {
    await consumer.connect()
    await consumer.subscribe({ topics: spec.topics.map((topic) => `${prefix}${topic}`), fromBeginning: true })
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      // Never waits for a handler, since kafkajs would neither fetch nor send heartbeats for any partition meanwhile.
      eachBatch: async (given) => {
        payload = given
        const reader = readers.get(generation.nameOf(given.batch))
        if (reader !== undefined && take(given.batch, reader)) given.resolveOffset(given.batch.lastOffset())
      },
    })
  }
  run().catch((error: unknown) => end(reasonOf(error)))
  ended.then(close)

  return {
    ended,
    end,
    partitions: () => readers.all().length,
    topicIds: () =>
      new Map(readers.all().flatMap(({ topic, topicId }) => (topicId === '' ? [] : [[topic, topicId] as const]))),
    trouble: () => troubleOf(now(), clock(), readers.all()),
    waiting: () =>
      readers.all().flatMap((reader) => {
        const { topic, partition } = reader
        return reader.isIdle() ? [{ name: nameOf(reader), topic, partition, position: reader.position() }] : []
      }),
    stop: async () => {
      for (const reader of readers.all()) reader.close()
      await settled(Promise.all(readers.all().map((reader) => reader.handled())), handlersWithinMs)
      await sleep(0)
      if (!over) await settled(commit.flush().then(commit.flush), commitWithinMs)
      end('stopped')
      await close()
    },
  }
}
