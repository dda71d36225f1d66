import { randomUUID } from 'node:crypto'
import type { TopicName } from '../../../../contracts/topics.ts'
import type { Health } from '../../domain/checks.ts'
import type { ConsumerSpec, RunningConsumer } from '../../domain/log/consumer.ts'
import type { EndOffsets } from '../../domain/log/positions.ts'
import { partitionName } from '../../domain/log/record.ts'
import { backoff } from '../../shared/backoff.ts'
import type { Log } from '../../shared/log.ts'
import { sleep } from '../../shared/time.ts'
import { settled } from '../../shared/timeout.ts'
import { denial, type IsDenied } from '../fetch-record.ts'
import { type StartOffsets, startOffsetsOf } from './committed-offsets.ts'
import { stallDetector } from './health.ts'
import { type Session, type SessionContext, startSession } from './session.ts'
import { lostRecords } from './take-batch.ts'

/** What consumers read from, and how they report. */
type ConsumerContext = SessionContext &
  StartOffsets & {
    readonly endOffsets: EndOffsets
    readonly isDenied: IsDenied
    readonly forgetGroup: (group: string) => Promise<void>
  }

/** A consumer, and its partitions. */
export type Supervised = RunningConsumer & Pick<Session, 'owned'>

const restartPause = { baseMs: 200, capMs: 2_000 }
// Quick retries do not help: a batch with a compression that this build lacks (kafka/compression.ts) needs another
// build, or the end of its retention.
const longPauseMs = 15_000
const stableAfterMs = 60_000
const checkEveryMs = 10_000
const readableAgainMs = 500
const forgetWithinMs = 1_000

const pauseAfter = (reason: string, failures: number) =>
  reason.includes('not implemented') ? longPauseMs : backoff(failures, restartPause, Math.random)

/**
 * Measures the lag of the session's partitions. Ends a session that is stalled, or whose logs are not the same ones.
 */
const lagCheck = (spec: ConsumerSpec, { endOffsets, compareLog, topicIds, measure, clock }: ConsumerContext) => {
  const stalledAt = stallDetector()
  return async (session: Session): Promise<void> => {
    const topics: ReadonlyArray<TopicName> = [...new Set(session.owned().map(({ topic }) => topic))]
    const ends = new Map(await Promise.all(topics.map(async (topic) => [topic, await endOffsets(topic)] as const)))
    // Asked again, since partitions may have been reassigned during the await: their new owner measures their lag.
    const owned = session.owned().flatMap((of) => {
      const end = ends.get(of.topic)?.get(of.partition)
      return end === undefined ? [] : [{ ...of, end }]
    })
    for (const { topic, partition, position, end } of owned)
      measure.consumed(spec.group, topic, partition, 0, Math.max(0, end - position))
    const waiting = owned.filter(({ isWaiting }) => isWaiting)
    const found = stalledAt(waiting, clock())
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
const readWithout = (
  denied: ReadonlyArray<TopicName>,
  { topics, leftOutIfDenied = [] }: Pick<ConsumerSpec, 'topics' | 'leftOutIfDenied'>,
): ReadonlyArray<TopicName> => {
  const mayDo = denied.every((topic) => leftOutIfDenied.includes(topic))
  return mayDo ? topics.filter((topic) => !denied.includes(topic)) : []
}

/** The topics that the broker denies, and those that are read meanwhile. */
const permissionsOf = (spec: ConsumerSpec, isDenied: IsDenied, signal: AbortSignal) => {
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
    ask: async () => {
      denied = await deniedOf(spec.topics)
    },
    /** The topics that may be read again. None if another session has begun meanwhile. */
    askAgain: async (isCurrent: () => boolean): Promise<ReadonlyArray<TopicName>> => {
      const still = await deniedOf(denied)
      if (!isCurrent()) return []
      const before = readable()
      denied = still
      return readable().filter((topic) => !before.includes(topic))
    },
    /** Resolves when a topic may be read, or at the stop. */
    untilReadable: async () => {
      while (readable().length === 0 && !signal.aborted) await sleep(readableAgainMs, signal)
    },
  }
}

/** Why the last session ended. After a while, a problem has another cause. Earlier, it may be the same again. */
const endingOf = (clock: () => number) => {
  let last: { readonly reason: string; readonly at: number } | undefined
  return {
    /** False if the session before ended for the same reason. */
    note: (reason: string): boolean => {
      const isOther = reason !== last?.reason
      last = { reason, at: clock() }
      return isOther
    },
    reason: () => last?.reason,
    forgetIfOld: () => {
      if (last !== undefined && clock() - last.at > stableAfterMs) last = undefined
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

/** One session after the other, until it is stopped. */
const supervise = (spec: ConsumerSpec, context: ConsumerContext): Supervised => {
  const { isDenied, forgetGroup, log, measure, clock } = context
  const group = spec.alone ? `${spec.group}-${randomUUID()}` : spec.group
  const stopping = new AbortController()
  const { signal } = stopping
  const permissions = permissionsOf(spec, isDenied, signal)
  const ending = endingOf(clock)
  const findStartOffsets = startOffsetsOf(context, { ...spec, group })
  const checkLag = lagCheck(spec, context)
  const reportedFaults = new Set<string>()
  const unfinishedHandlers = new Map<string, Promise<void>>()
  const start = () =>
    startSession(
      { ...spec, topics: permissions.readable() },
      { ...context, log: warnsOnce(log, reportedFaults), group, findStartOffsets, unfinishedHandlers },
    )
  let session = start()

  const check = async () => {
    const checked = session
    const allowed = await permissions.askAgain(() => session === checked)
    if (allowed.length > 0) session.end(`Kafka allows reading ${allowed.join(', ')} again`)
    await checkLag(session)
  }
  const checking = setInterval(() => check().catch(() => undefined), checkEveryMs)

  const report = async (reason: string) => {
    if (ending.note(reason)) log.warn({ group: spec.group, reason }, 'kafka: a consumer ended and is restarted')
    measure.consumerRestarted(spec.group)
    if (!reason.includes(denial)) return
    await permissions.ask()
    const topics = permissions.denied()
    if (topics.length > 0) log.warn({ group: spec.group, topics }, 'kafka: the broker denies reading topics')
  }
  const restartUntilStopped = async () => {
    for (let failures = 1; ; failures++) {
      const began = clock()
      const reason = await session.ended
      if (signal.aborted) return
      if (clock() - began > stableAfterMs) failures = 1
      await report(reason)
      await sleep(pauseAfter(reason, failures), signal)
      await permissions.untilReadable()
      if (signal.aborted) return
      session = start()
    }
  }
  const restarting = restartUntilStopped()

  const end = async () => {
    stopping.abort()
    clearInterval(checking)
    await session.stop()
    await restarting
    // The broker also removes a group without offsets, but much later.
    if (spec.alone) await settled(forgetGroup(group), forgetWithinMs)
  }
  let ended: Promise<void> | undefined

  return {
    owned: () => session.owned(),
    health: () => {
      const unhealthy = session.unhealthyReason()
      if (unhealthy === undefined) {
        ending.forgetIfOld()
        reportedFaults.clear()
      }
      return healthOf({
        unhealthy,
        partitions: session.partitions(),
        denied: permissions.denied(),
        topics: permissions.readable(),
        restartedBecause: ending.reason(),
      })
    },
    stop: () => {
      ended ??= end()
      return ended
    },
  }
}

/** Consumers that never end silently: one that crashes or stalls is restarted, on new connections. */
export const consumeWith =
  (context: ConsumerContext) =>
  async (spec: ConsumerSpec): Promise<Supervised> =>
    supervise(spec, context)
