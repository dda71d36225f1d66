import { randomUUID } from 'node:crypto'
import type { TopicName } from '../../../contracts/topics.ts'
import type { ConsumerSpec, EndOffsets, Log, Measure, RunningConsumer } from '../../domain/ports.ts'
import { backoff } from '../../shared/backoff.ts'
import { sleep } from '../../shared/time.ts'
import { settled } from '../../shared/timeout.ts'
import { refusal, type StartOffsetsDeps, startOffsetsOf } from './committed-offsets.ts'
import { stallDetector } from './health.ts'
import { lostRecords, type Session, type SessionDeps, startSession } from './session.ts'

type Deps = Omit<SessionDeps, 'group' | 'findStartOffsets' | 'unfinishedHandlers'> &
  StartOffsetsDeps & {
    readonly measure: Pick<Measure, 'consumed' | 'partitionLeft' | 'consumerRestarted'>
    readonly endOffsets: EndOffsets
    readonly forgetGroup: (group: string) => Promise<void>
  }

/** A consumer, and its partitions that wait for records: all their fetched records are handled. */
export type Supervised = RunningConsumer & Pick<Session, 'waiting'>

const restartPause = { baseMs: 200, capMs: 2_000 }
// Quick retries do not help. Refused topics need an operator. A batch with a compression that this build lacks
// (kafka/compression.ts) needs another build, or the end of its retention.
const longPauseMs = 15_000
const stableAfterMs = 60_000
const checkLagEveryMs = 10_000
const forgetWithinMs = 1_000

const pauseAfter = (reason: string, failures: number) =>
  reason.includes('not implemented') || reason.startsWith(refusal)
    ? longPauseMs
    : backoff(failures, restartPause, Math.random)

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
        if (kind !== 'intact') session.end(lostRecords(`${topic}/${partition}`))
    }
    const known = session.topicIds()
    for (const [topic, id] of await topicIds([...known.keys()]))
      if (known.get(topic) !== id) session.end(`the topic ${topic} was created again`)
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

const supervise = (spec: ConsumerSpec, deps: Deps): Supervised => {
  const { forgetGroup, log, measure, clock } = deps
  const group = spec.alone ? `${spec.group}-${randomUUID()}` : spec.group
  const stopping = new AbortController()
  const checkLag = lagCheck(spec, deps)
  const findStartOffsets = startOffsetsOf(deps, { ...spec, group })
  const reported = new Set<string>()
  const unfinishedHandlers = new Map<string, Promise<void>>()
  const start = () =>
    startSession(spec, { ...deps, log: warnsOnce(log, reported), group, findStartOffsets, unfinishedHandlers })
  let session = start()
  let lastReason: string | undefined
  let endedAt: number | undefined
  let stopped: Promise<void> | undefined

  const lagTimer = setInterval(() => checkLag(session).catch(() => undefined), checkLagEveryMs)
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
      await sleep(pauseAfter(reason, failures), stopping.signal)
      if (stopping.signal.aborted) return
      session = start()
    }
  }
  const running = run()
  const end = async () => {
    stopping.abort()
    clearInterval(lagTimer)
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
        return { ok: true, reason: `reads ${session.partitions()} partitions` }
      }
      return {
        ok: false,
        reason: lastReason === undefined ? unhealthy : `${unhealthy}; restarted because: ${lastReason}`,
      }
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
