import * as E from 'fp-ts/lib/Either.js'
import type { Instant } from '../../../../contracts/primitives.ts'
import { type Problem, problemsOf } from '../../../../contracts/problem.ts'
import { DeadLetterHeaders, deadLetterHeaders as names } from '../../../../contracts/records.ts'
import { deadLetters, topics } from '../../../../contracts/topics.ts'
import type { IncomingRecord } from '../../domain/log/record.ts'
import { type ErasedKey, erasedKeyOf } from '../../domain/person/erased.ts'
import { firstFailureOf, ofJournal, type Redriven, timesRedriven } from '../../kafka/dead-letters.ts'
import type { PartOf } from '../../kafka/read-topic.ts'

type OriginTopic = Redriven['topic']

/** What the headers and the key of a dead letter say. Its bytes stay in the record. */
export type StoredDeadLetter = {
  /** Its place on the topic dead-letters: `partition/offset`. */
  readonly id: string
  /** The account in the record's key; empty if there is no key. */
  readonly account: string
  /** The whole key. Other producers write keys too, so it may be any text. */
  readonly key: string
  readonly origin: { readonly topic: OriginTopic; readonly partition: number; readonly offset: number }
  /** When the record was appended to its own topic. */
  readonly appendedAt: Instant
  readonly consumer: string
  readonly cause: string
  readonly detail: string
  readonly failedAt: Instant
  readonly firstFailedAt: Instant
  /** How often the record had been redriven before this failure. */
  readonly redriven: number
  /** The size of the value. */
  readonly bytes: number
}

/** The topics that a dead letter can come from. */
export const originTopics: ReadonlyArray<OriginTopic> = topics.flatMap(({ name }) =>
  name === deadLetters.name ? [] : [name],
)

/** The account in a record's key: `acme/2037` or `acme`. Other producers write keys too, so it may be any text. */
export const accountOf = ({ key }: Pick<IncomingRecord, 'key'>): string => String(key ?? '').split('/', 1)[0] ?? ''

export const placeOf = ({ partition, offset }: Pick<IncomingRecord, 'partition' | 'offset'>) => `${partition}/${offset}`

const problem = (path: string, expected: string): E.Either<ReadonlyArray<Problem>, never> =>
  E.left([{ path, expected }])

/** Reads a record of dead-letters. Left: the headers that are missing or invalid. */
export const readDeadLetter = (record: IncomingRecord): E.Either<ReadonlyArray<Problem>, StoredDeadLetter> => {
  const texts = Object.fromEntries(Object.entries(record.headers).map(([name, value]) => [name, value.toString()]))
  const decoded = DeadLetterHeaders.decode(texts)
  if (E.isLeft(decoded)) return E.left(problemsOf(decoded.left))
  const headers = decoded.right
  const topic = originTopics.find((name) => name === headers.dl_topic)
  if (topic === undefined) return problem(names.topic, `one of ${originTopics.join(', ')}`)
  return E.right({
    id: placeOf(record),
    account: accountOf(record),
    key: String(record.key ?? ''),
    origin: { topic, partition: Number(headers.dl_partition), offset: Number(headers.dl_offset) },
    appendedAt: headers.dl_timestamp,
    consumer: headers.dl_consumer,
    cause: headers.dl_cause,
    detail: headers.dl_detail,
    failedAt: headers.dl_failed_at,
    firstFailedAt: firstFailureOf(record, headers.dl_failed_at),
    redriven: timesRedriven(record),
    bytes: record.value?.length ?? 0,
  })
}

/** The place of the original record: `topic/partition/offset`. */
export const originOf = ({ origin }: StoredDeadLetter): string => `${origin.topic}/${origin.partition}/${origin.offset}`

/**
 * The id under which redrives are remembered: of the failure of one record in one consumer. A consumer may keep it twice:
 * when it has to stop before it commits, it reads the record again. The id includes the record's time: after its topic
 * was created again, the same place has another record. What was on no topic has no place: each letter counts.
 */
export const memoryIdOf = (deadLetter: StoredDeadLetter): string => {
  const { id, failedAt, appendedAt, consumer } = deadLetter
  return consumer === ofJournal ? `${id}@${failedAt}` : `${originOf(deadLetter)}@${appendedAt} ${consumer}`
}

/** The key by which an erasure names the person of a dead letter. */
export const erasedKeyIn = ({ origin, key }: Pick<StoredDeadLetter, 'origin' | 'key'>): ErasedKey =>
  erasedKeyOf(origin.topic, key)

/** True if the content is older than the erasure. A redriven record is newer than its content. */
export const isErasedAt = (
  { firstFailedAt, appendedAt }: Pick<StoredDeadLetter, 'firstFailedAt' | 'appendedAt'>,
  erasedAt: Date | undefined,
): boolean => erasedAt !== undefined && Math.min(Date.parse(firstFailedAt), Date.parse(appendedAt)) < erasedAt.getTime()

/** A dead letter or a request must match all given filters. Times are in ms since 1970. */
export type CommonFilters = {
  readonly account?: string
  /** Only those whose account is none of these. */
  readonly notOf?: ReadonlyArray<string>
  /** Inclusive. */
  readonly since?: number
  /** Exclusive. */
  readonly until?: number
  /** Places on the topic: `partition/offset`. */
  readonly id?: ReadonlyArray<string>
}

/** Times are those of the failure. */
export type Filters = CommonFilters & {
  readonly topic?: string
  readonly cause?: string
  readonly consumer?: string
}

const isWanted = <A>(wanted: A | undefined, value: A | undefined) => wanted === undefined || wanted === value

/** `at`: NaN if it is not known. */
export const matchesCommon = (
  { account, notOf, since, until, id }: CommonFilters,
  record: { readonly id: string; readonly account: string; readonly at: number },
): boolean =>
  isWanted(account, record.account) &&
  !notOf?.includes(record.account) &&
  (since === undefined || record.at >= since) &&
  (until === undefined || record.at < until) &&
  (id === undefined || id.includes(record.id))

export const matches =
  ({ topic, cause, consumer, ...common }: Filters) =>
  (deadLetter: StoredDeadLetter): boolean =>
    matchesCommon(common, { ...deadLetter, at: Date.parse(deadLetter.failedAt) }) &&
    isWanted(topic, deadLetter.origin.topic) &&
    isWanted(cause, deadLetter.cause) &&
    isWanted(consumer, deadLetter.consumer)

/** The offsets of dead-letters to read for these places. The whole topic if no places are given. */
export const partOf =
  (places: ReadonlyArray<string> | undefined): PartOf =>
  (partition, whole) => {
    if (places === undefined) return whole
    const offsets = places
      .filter((place) => place.startsWith(`${partition}/`))
      .map((place) => Number(place.split('/')[1]))
      .filter((offset) => offset >= whole.low && offset < whole.high)
    return offsets.length === 0
      ? { low: whole.high, high: whole.high }
      : { low: Math.min(...offsets), high: Math.max(...offsets) + 1 }
  }
