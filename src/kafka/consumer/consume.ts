import { randomUUID } from 'node:crypto'
import type { TopicName } from '../../../contracts/topics.ts'
import type { ConsumerSpec, Measure, RunningConsumer } from '../../domain/ports.ts'
import { backoff } from '../../shared/backoff.ts'
import { sleep } from '../../shared/time.ts'
import { settled } from '../../shared/timeout.ts'
import { refusal, type StartsDeps, startsOf } from './positions.ts'
import { type Session, type SessionDeps, startSession } from './session.ts'
import { standstills } from './standstill.ts'

type Deps = Omit<SessionDeps, 'group' | 'findStarts' | 'leftovers'> &
  StartsDeps & {
    readonly measure: Pick<Measure, 'consumed' | 'partitionLeft' | 'consumerRestarted'>
    readonly forgetGroup: (group: string) => Promise<void>
  }

/** A consumer that also tells of partitions that wait for records: all that was fetched of them is handled. */
export type Supervised = RunningConsumer & Pick<Session, 'waiting'>

const pause = { baseMs: 200, capMs: 2_000 }
// Nothing helps but an operator, another build, or the record's end by retention: no need to be quick.
const helplessPauseMs = 15_000
const steadyMs = 60_000
const lookEveryMs = 10_000
const forgetWithinMs = 1_000

const pauseAfter = (reason: string, failures: number) =>
  reason.includes('not implemented') || reason.startsWith(refusal)
    ? helplessPauseMs
    : backoff(failures, pause, Math.random)

/** Asks how far the session's partitions are behind, tells of the lag, and ends a session that gets nothing of it, or reads other topics. */
const lookout = (spec: ConsumerSpec, { ranges, topicIds, measure, clock }: Deps) => {
  const stuck = standstills()
  return async (session: Session): Promise<void> => {
    const topics: ReadonlyArray<TopicName> = [...new Set(session.waiting().map(({ topic }) => topic))]
    const ends = new Map(await Promise.all(topics.map(async (topic) => [topic, await ranges(topic)] as const)))
    // Asked again: a partition may have gone to another in the meantime, who tells of its lag now.
    const waiting = session.waiting().filter(({ topic }) => ends.has(topic))
    const places = waiting.map(({ name, topic, partition, position }) => {
      const end = ends.get(topic)?.get(partition)?.high ?? position
      measure.consumed(spec.group, topic, partition, 0, Math.max(0, end - position))
      return { name, position, end }
    })
    const found = stuck(places, clock())
    if (found !== undefined) session.end(`gets no records: ${found}`)
    const known = session.topicIds()
    for (const [topic, id] of await topicIds([...known.keys()]))
      if (known.get(topic) !== id) session.end(`the topic ${topic} was created again`)
  }
}

const supervise = (spec: ConsumerSpec, deps: Deps): Supervised => {
  const { forgetGroup, log, measure, clock } = deps
  const group = spec.alone ? `${spec.group}-${randomUUID()}` : spec.group
  const stopping = new AbortController()
  const look = lookout(spec, deps)
  const findStarts = startsOf(deps, { ...spec, group })
  const leftovers = new Map<string, Promise<void>>()
  const start = () => startSession(spec, { ...deps, group, findStarts, leftovers })
  let session = start()
  let before: string | undefined
  let stopped: Promise<void> | undefined

  const looking = setInterval(() => look(session).catch(() => undefined), lookEveryMs)
  const run = async () => {
    for (let failures = 1; ; failures++) {
      const began = clock()
      const reason = await session.ended
      if (stopping.signal.aborted) return
      if (clock() - began > steadyMs) failures = 1
      if (reason !== before) log.warn({ group: spec.group, reason }, 'kafka: a consumer ended and is made anew')
      before = reason
      measure.consumerRestarted(spec.group)
      await sleep(pauseAfter(reason, failures), stopping.signal)
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
    // Without offsets it would go by itself, but only when the broker looks for such groups.
    if (spec.alone) await settled(forgetGroup(group), forgetWithinMs)
  }

  return {
    waiting: () => session.waiting(),
    health: () => {
      const trouble = session.trouble()
      if (trouble === undefined) return { ok: true, reason: `reads ${session.partitions()} partitions` }
      return { ok: false, reason: before === undefined ? trouble : `${trouble}; before: ${before}` }
    },
    stop: () => {
      stopped ??= end()
      return stopped
    },
  }
}

/** Consumers that never end in silence: one that crashes or gets nowhere is made anew, with everything that was part of it. */
export const consumeWith =
  (deps: Deps) =>
  async (spec: ConsumerSpec): Promise<Supervised> =>
    supervise(spec, deps)
