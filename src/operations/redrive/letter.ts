import * as E from 'fp-ts/lib/Either.js'
import type { Instant } from '../../../contracts/primitives.ts'
import { type Problem, problemsOf } from '../../../contracts/problem.ts'
import { DeadLetterHeaders } from '../../../contracts/records.ts'
import { deadLetters, deadLetterHeaders as names, topics } from '../../../contracts/topics.ts'
import type { IncomingRecord } from '../../domain/ports.ts'
import { firstFailureOf, type Redriven, timesRedriven } from '../../kafka/redriven.ts'

export type OriginTopic = Redriven['topic']

/** What a dead letter says of itself; its bytes stay in the record. */
export type Letter = {
  /** Its place on dead-letters: `partition/offset`. */
  readonly id: string
  readonly origin: { readonly topic: OriginTopic; readonly partition: number; readonly offset: number }
  readonly consumer: string
  readonly cause: string
  readonly detail: string
  readonly failedAt: Instant
  readonly firstFailedAt: Instant
  /** How often the record had been redriven when it failed this time. */
  readonly redriven: number
}

/** Where a dead letter can have come from. */
export const originTopics: ReadonlyArray<OriginTopic> = topics.flatMap(({ name }) =>
  name === deadLetters.name ? [] : [name],
)

export const placeOf = ({ partition, offset }: Pick<IncomingRecord, 'partition' | 'offset'>) => `${partition}/${offset}`

const problem = (path: string, expected: string): E.Either<ReadonlyArray<Problem>, never> =>
  E.left([{ path, expected }])

/** Reads a record of dead-letters; Left names what its headers lack. */
export const readLetter = (record: IncomingRecord): E.Either<ReadonlyArray<Problem>, Letter> => {
  const texts = Object.fromEntries(Object.entries(record.headers).map(([name, value]) => [name, value.toString()]))
  // Letters of the days before there was a first time have failed once.
  const decoded = DeadLetterHeaders.decode({ [names.firstFailedAt]: texts[names.failedAt], ...texts })
  if (E.isLeft(decoded)) return E.left(problemsOf(decoded.left))
  const headers = decoded.right
  const topic = originTopics.find((name) => name === headers.dl_topic)
  if (topic === undefined) return problem(names.topic, `one of ${originTopics.join(', ')}`)
  return E.right({
    id: placeOf(record),
    origin: { topic, partition: Number(headers.dl_partition), offset: Number(headers.dl_offset) },
    consumer: headers.dl_consumer,
    cause: headers.dl_cause,
    detail: headers.dl_detail,
    failedAt: headers.dl_failed_at,
    firstFailedAt: firstFailureOf(record, headers.dl_failed_at),
    redriven: timesRedriven(record),
  })
}

/** Under what a letter's redrives are remembered: its place alone would be another letter's in a topic made anew. */
export const memoryIdOf = ({ id, failedAt }: Letter): string => `${id}@${failedAt}`
