import type { Consumer } from 'kafkajs'
import type { ConsumerSpec, Log, Measure } from '../../domain/ports.ts'
import { backoff } from '../../shared/backoff.ts'
import { semaphore } from '../../shared/semaphore.ts'
import { sleep } from '../../shared/time.ts'
import { reasonOf } from '../errors.ts'
import type { Assignment } from './assigner.ts'
import { partitionReader } from './partition-reader.ts'
import { type FindStarts, refusal, type TopicPartition, TopicsRefused } from './positions.ts'
import { nameOf, type Readers } from './readers.ts'

type Deps = {
  readonly spec: ConsumerSpec
  readonly prefix: string
  readonly consumer: Pick<Consumer, 'pause' | 'resume' | 'seek'>
  readonly readers: Readers
  readonly findStarts: FindStarts
  readonly isOver: () => boolean
  /** Ends the session, whose assignment could not be taken. */
  readonly end: (reason: string) => void
  readonly isMember: () => boolean
  /** Called when all that was assigned is read. */
  readonly ready: () => void
  readonly clock: () => number
  readonly log: Log
  readonly measure: Pick<Measure, 'consumed' | 'partitionLeft'>
}

const pause = { baseMs: 100, capMs: 2_000 }
/** Some gather while others are read, and others still are written. */
const deepAtOnce = 3

/** What the group gives to this member, each time that it gives. */
export const generations = (deps: Deps) => {
  const { spec, prefix, consumer, readers, findStarts, isOver, end, isMember, ready, clock, log, measure } = deps
  const takeTurn = semaphore(deepAtOnce)
  let current = 0

  const known = new Map(spec.topics.map((topic) => [`${prefix}${topic}`, topic]))
  const nameAt = ({ topic, partition }: { readonly topic: string; readonly partition: number }) =>
    `${known.get(topic)}/${partition}`
  const at = ({ topic, partition }: TopicPartition) => ({ topic: `${prefix}${topic}`, partitions: [partition] })

  const startsWithin = async (partitions: ReadonlyArray<TopicPartition>, isStill: () => boolean) => {
    for (let failures = 1; isStill(); failures++) {
      try {
        return await findStarts(partitions)
      } catch (error) {
        if (error instanceof TopicsRefused) end(`${refusal}${error.message}`)
        log.debug({ group: spec.group, reason: reasonOf(error) }, 'kafka: where to begin is not known yet')
        await sleep(backoff(failures, pause, Math.random))
      }
    }
    return []
  }
  const begin = async (assignment: Assignment) => {
    const generation = ++current
    const isStill = () => generation === current && !isOver()
    readers.retire()
    const partitions = Object.entries(assignment).flatMap(([name, numbers]) => {
      const topic = known.get(name)
      return topic === undefined ? [] : numbers.map((partition) => ({ topic, partition }))
    })
    // Before kafkajs fetches anything: it would begin at what is committed, and not where it is asked to.
    consumer.pause(partitions.map(at))
    spec.onAssigned?.([...new Set(partitions.map(({ partition }) => partition))].sort((a, b) => a - b))
    const starts = await startsWithin(partitions, isStill)
    if (!isStill()) return
    for (const { topic, partition, topicId, start } of starts) {
      let fetching = false
      const adjust = () => {
        if (!isStill() || reader.wantsMore() === fetching) return
        fetching = !fetching
        try {
          if (fetching) consumer.resume([at(reader)])
          else consumer.pause([at(reader)])
        } catch (error) {
          // It has crashed and does not say so yet; nobody who handles records is to hear of it here.
          end(reasonOf(error))
        }
      }
      const name = nameOf({ topic, partition })
      const reader = partitionReader({
        ...{ spec, topic, partition, topicId, start, isMember, takeTurn, sleep, clock, log, measure },
        before: readers.before(name),
        random: Math.random,
        changed: adjust,
      })
      readers.set(name, reader)
      consumer.seek({ topic: `${prefix}${topic}`, partition, offset: String(start) })
      adjust()
    }
    ready()
    log.info({ group: spec.group, partitions: starts.length }, 'kafka: a consumer has joined its group')
  }
  return {
    nameOf: nameAt,
    /** What was given is to be given anew. */
    revoke: (): void => {
      current++
      readers.retire()
    },
    begin: (assignment: Assignment): void => {
      begin(assignment).catch((error: unknown) => end(`an assignment could not be taken: ${reasonOf(error)}`))
    },
  }
}
