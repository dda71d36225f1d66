import { randomUUID } from 'node:crypto'
import type { TopicName } from '../../../../contracts/topics.ts'
import type { Health } from '../../domain/checks.ts'
import type { ConsumerSpec, RunningConsumer } from '../../domain/log/consumer.ts'
import { partitionName } from '../../domain/log/partition-name.ts'
import type { EndOffsets } from '../../domain/log/positions.ts'
import type { Measure } from '../../domain/metrics.ts'
import { backoff } from '../../shared/backoff.ts'
import type { Log } from '../../shared/log.ts'
import { sleep } from '../../shared/time.ts'
import { settled } from '../../shared/timeout.ts'
import { denial, type IsDenied } from '../fetch-record.ts'
import { type StartOffsetsDeps, startOffsetsOf } from './committed-offsets.ts'
import { stallDetector } from './health.ts'
import { type Session, type SessionDeps, startSession } from './session.ts'
import { lostRecords } from './take-batch.ts'

type Deps = Omit<SessionDeps, 'group' | 'findStartOffsets' | 'unfinishedHandlers'> &
  StartOffsetsDeps & {
    readonly measure: Measure
    readonly endOffsets: EndOffsets
    readonly isDenied: IsDenied
    readonly forgetGroup: (group: string) => Promise<void>
  }

/** A consumer, and its partitions that wait for records: all their fetched records are handled. */
export type Supervised = RunningConsumer & Pick<Session, 'waiting'>

const restartPause = { baseMs: 200, capMs: 2_000 }
// Quick retries do not help: a batch with a compression that this build lacks (kafka/compression.ts) needs another
// build, or the end of its retention.
const longPauseMs = 15_000
const stableAfterMs = 60_000
const checkEveryMs = 10_000
const lookAtPermissionMs = 500
const forgetWithinMs = 1_000

const pauseAfter = (reason: string, failures: number) =>
  reason.includes('not implemented') ? longPauseMs : backoff(failures, restartPause, Math.random)

/**
 * Measures the lag of the session's partitions. Ends a session that is stalled, or whose logs are not the same ones.
 */
const lagCheck = (spec: ConsumerSpec, { endOffsets, compareLog, topicIds, measure, clock }: Deps) => {
  const stalledAt = stallDetector()
  return async (session: Session): Promise<void> => {
    const topics: ReadonlyArray<TopicName> = [...new Set(session.waiting().map(({ topic }) => topic))]
    const ends = new Map(await Promise.all(topics.map(async (topic) => [topic, await endOffsets(topic)] as const)))
    // A second look, since partitions may have been reassigned during the await: their new owner measures their lag.
    const waiting = session.waiting().filter(({ topic }) => ends.has(topic))
    const partitions = waiting.map(({ name, topic, partition, position }) => {
      const end = ends.get(topic)?.get(partition) ?? position
      measure.consumed(spec.group, topic, partition, 0, Math.max(0, end - position))
      return { name, position, end }
    })
    const found = stalledAt(partitions, clock())
    if (found !== undefined) session.end(`stalled: ${found}`)
    // A log that was cut and has as many records again gives no batch, and its records would never be read.
    for (const [topic, of] of Map.groupBy(waiting, (each) => each.topic)) {
      const marks = of.flatMap(({ partition, position, epoch }) =>
        epoch === undefined ? [] : [[partition, { epoch, offset: position - 1 }] as const],
      )
      for (const [partition, { kind }] of await compareLog(topic, new Map(marks)))
        if (kind !== 'intact') session.end(lostRecords(partitionName({ topic, partition })))
    }
    const known = session.topicIds()
    for (const [topic, id] of await topicIds([...known.keys()]))
      if (known.get(topic) !== id) session.end(`the topic ${topic} was created again`)
    const mustEnd = await spec.mustEnd?.()
    if (mustEnd !== undefined) session.end(mustEnd)
  }
}

/** In an outage the handlers of all partitions fail in the same way: the first one of them is a warning. */
const warnsOnce = (log: Log, reported: Set<string>): Log => ({
  ...log,
  warn: (fields, message) => {
    if (!('error' in fields)) return log.warn(fields, message)
    const fault = `${message} ${JSON.stringify(fields.error)}`
    if (reported.has(fault)) return log.debug(fields, message)
    reported.add(fault)
    return log.warn(fields, message)
  },
})

/** The topics that are read while the broker denies some: none if it denies one that must not be left out. */
export const readWithout = (
  denied: ReadonlyArray<TopicName>,
  { topics, leftOutIfDenied = [] }: Pick<ConsumerSpec, 'topics' | 'leftOutIfDenied'>,
): ReadonlyArray<TopicName> => {
  const mayDo = denied.every((topic) => leftOutIfDenied.includes(topic))
  return mayDo ? topics.filter((topic) => !denied.includes(topic)) : []
}

/** The topics that the broker denies, and those that are read meanwhile. */
const permissions = (spec: ConsumerSpec, isDenied: IsDenied, signal: AbortSignal) => {
  let denied: ReadonlyArray<TopicName> = []
  const readable = () => readWithout(denied, spec)
  /**
   * A fetch of many topics is denied as a whole, and the answer names none, so each is asked. One after the other: a
   * denial closes the connection, and other questions on it would fail.
   */
  const deniedOf = async (topics: ReadonlyArray<TopicName>) => {
    const found: Array<TopicName> = []
    for (const topic of topics) if (!signal.aborted && (await isDenied(topic))) found.push(topic)
    return found
  }
  return {
    denied: () => denied,
    readable,
    find: async () => {
      denied = await deniedOf(spec.topics)
    },
    /** The topics that may be read again. None if another session has begun during the look. */
    lookAgain: async (isCurrent: () => boolean): Promise<ReadonlyArray<TopicName>> => {
      const still = await deniedOf(denied)
      if (!isCurrent()) return []
      const before = readable()
      denied = still
      return readable().filter((topic) => !before.includes(topic))
    },
  }
}

type State = {
  readonly unhealthy: string | undefined
  readonly partitions: number
  readonly denied: ReadonlyArray<TopicName>
  /** The topics that are read. */
  readonly topics: ReadonlyArray<TopicName>
  readonly restartedBecause: string | undefined
}

export const healthOf = ({ unhealthy, partitions, denied, topics, restartedBecause }: State): Health => {
  const state = unhealthy ?? `reads ${partitions} partitions`
  if (denied.length > 0) {
    const others = topics.length === 0 ? 'nothing is read' : state
    return { ok: false, reason: `Kafka denies reading ${denied.join(', ')}; ${others}` }
  }
  if (unhealthy === undefined) return { ok: true, reason: state }
  const cause = restartedBecause === undefined ? '' : `; restarted because: ${restartedBecause}`
  return { ok: false, reason: `${state}${cause}` }
}

const supervise = (spec: ConsumerSpec, deps: Deps): Supervised => {
  const { isDenied, forgetGroup, log, measure, clock } = deps
  const group = spec.alone ? `${spec.group}-${randomUUID()}` : spec.group
  const stopping = new AbortController()
  const checkLag = lagCheck(spec, deps)
  const findStartOffsets = startOffsetsOf(deps, { ...spec, group })
  const reported = new Set<string>()
  const unfinishedHandlers = new Map<string, Promise<void>>()
  const { denied, readable, find, lookAgain } = permissions(spec, isDenied, stopping.signal)
  const start = () =>
    startSession(
      { ...spec, topics: readable() },
      { ...deps, log: warnsOnce(log, reported), group, findStartOffsets, unfinishedHandlers },
    )
  let session = start()
  let lastReason: string | undefined
  let endedAt: number | undefined
  let stopped: Promise<void> | undefined

  const look = async () => {
    const of = session
    const allowed = await lookAgain(() => session === of)
    if (allowed.length > 0) session.end(`Kafka allows reading ${allowed.join(', ')} again`)
    await checkLag(session)
  }
  const looking = setInterval(() => look().catch(() => undefined), checkEveryMs)
  const run = async () => {
    for (let failures = 1; ; failures++) {
      const began = clock()
      const reason = await session.ended
      if (stopping.signal.aborted) return
      if (clock() - began > stableAfterMs) failures = 1
      if (reason !== lastReason) log.warn({ group: spec.group, reason }, 'kafka: a consumer ended and is restarted')
      lastReason = reason
      endedAt = clock()
      measure.consumerRestarted(spec.group)
      if (reason.includes(denial)) {
        await find()
        if (denied().length > 0)
          log.warn({ group: spec.group, topics: denied() }, 'kafka: the broker denies reading topics')
      }
      await sleep(pauseAfter(reason, failures), stopping.signal)
      while (readable().length === 0 && !stopping.signal.aborted) await sleep(lookAtPermissionMs, stopping.signal)
      if (stopping.signal.aborted) return
      session = start()
    }
  }
  const running = run()
  const end = async () => {
    stopping.abort()
    clearInterval(looking)
    await session.stop()
    await running
    // The broker also removes a group without offsets, but much later.
    if (spec.alone) await settled(forgetGroup(group), forgetWithinMs)
  }

  return {
    waiting: () => session.waiting(),
    health: () => {
      const unhealthy = session.unhealthyReason()
      if (unhealthy === undefined) {
        // After a while, a problem has another cause than the restart before it. Earlier, it may be the same again.
        if (endedAt !== undefined && clock() - endedAt > stableAfterMs) lastReason = undefined
        reported.clear()
      }
      return healthOf({
        unhealthy,
        partitions: session.partitions(),
        denied: denied(),
        topics: readable(),
        restartedBecause: lastReason,
      })
    },
    stop: () => {
      stopped ??= end()
      return stopped
    },
  }
}

/** Consumers that never end silently: one that crashes or stalls is restarted, on new connections. */
export const consumeWith =
  (deps: Deps) =>
  async (spec: ConsumerSpec): Promise<Supervised> =>
    supervise(spec, deps)
