import { crc32 } from 'node:zlib'
import * as E from 'fp-ts/lib/Either.js'
import type { Instant } from '../../../../contracts/primitives.ts'
import { deadLetters, quarantine, type TopicName } from '../../../../contracts/topics.ts'
import type { Failure, IncomingRecord } from '../../domain/log/record.ts'
import { nameOfErased } from '../../domain/person/erased.ts'
import { quarantineHeadersOf } from '../../domain/quarantined.ts'
import { newestRecords, type ReadTopic } from '../../kafka/read-topic.ts'
import type { Redrives } from '../../mongo/redrives.ts'
import {
  erasedKeyIn,
  type Filters,
  isErasedAt,
  matches,
  memoryIdOf,
  partOf,
  placeOf,
  readDeadLetter,
  type StoredDeadLetter,
} from './dead-letters.ts'
import { matchesRequest, type QuarantineFilters, requestMemoryIdOf } from './requeue-quarantined.ts'

type Group = { readonly topic: string; readonly cause: string; count: number; firstAt: string; lastAt: string }

type Sent<A> = A & { readonly sentAt: ReadonlyArray<Instant> | undefined }

/** What was found on a topic. */
export type Found<A> = {
  readonly count: number
  /** The newest ones, oldest first. `sentAt`: when each was sent back; undefined while MongoDB does not respond. */
  readonly letters: ReadonlyArray<Sent<A>>
  /** The newest ones of other topics and causes, oldest first. */
  readonly others: ReadonlyArray<Sent<A>>
  /** Counts by topic and cause. The filters of topic and cause do not apply to these counts. */
  readonly groups: ReadonlyArray<Readonly<Group>>
  /** The number of records without the required headers. */
  readonly unreadable: number
  /** True if there may be more: older records were not read, or the time limit was reached. */
  readonly isCut: boolean
}

/** `limit`: how many of the newest are kept. `newestOf`: the maximum number of records to read of each partition. */
export type Extent = { readonly limit: number; readonly newestOf?: number; readonly signal: AbortSignal }
type Ports = { readonly readTopic: ReadTopic; readonly redrives: Pick<Redrives, 'find' | 'erasedAt'> }

/** Keeps the newest items in bounded memory. */
type Newest<A> = {
  readonly add: (item: A) => void
  readonly count: () => number
  /** Oldest first. Items of the same time keep the order in which they were added. */
  readonly items: () => ReadonlyArray<A>
}

export const newest = <A>(max: number, timeOf: (item: A) => number): Newest<A> => {
  let count = 0
  let items: Array<A> = []
  const cut = () => {
    items = items.sort((a, b) => timeOf(a) - timeOf(b)).slice(-max)
    return items
  }
  return {
    add: (item) => {
      count++
      if (items.push(item) >= 2 * max) cut()
    },
    count: () => count,
    items: () => cut(),
  }
}

type About = { readonly topic: string; readonly cause: string; readonly at: string; readonly memoryId: string }
type Kind<A> = {
  readonly topic: TopicName
  readonly read: (record: IncomingRecord) => A | undefined
  readonly about: (letter: A) => About
  /** `fits`: it matches all filters. `isGrouped`: it matches all filters except topic and cause. */
  readonly fits: (letter: A, record: IncomingRecord) => boolean
  readonly isGrouped: (letter: A, record: IncomingRecord) => boolean
  readonly id: ReadonlyArray<string> | undefined
}

const addTo = (groups: Map<string, Group>, { topic, cause, at }: About) => {
  const group = groups.get(`${topic} ${cause}`) ?? { topic, cause, count: 0, firstAt: at, lastAt: at }
  group.count++
  if (at < group.firstAt) group.firstAt = at
  if (at > group.lastAt) group.lastAt = at
  groups.set(`${topic} ${cause}`, group)
}

const find = async <A extends object>(
  { readTopic, redrives }: Ports,
  { topic, read, about, fits, isGrouped, id }: Kind<A>,
  { limit, newestOf = Number.POSITIVE_INFINITY, signal }: Extent,
): Promise<E.Either<Failure, Found<A>>> => {
  const timeOf = (letter: A) => Date.parse(about(letter).at)
  const found = newest<A>(limit, timeOf)
  const others = newest<A>(limit, timeOf)
  const groups = new Map<string, Group>()
  let unreadable = 0
  let isCut = false
  const take = (record: IncomingRecord) => {
    const letter = read(record)
    if (letter === undefined) {
      unreadable++
      return
    }
    if (!isGrouped(letter, record)) return
    addTo(groups, about(letter))
    const into = fits(letter, record) ? found : others
    into.add(letter)
  }
  const part: ReturnType<typeof partOf> = (partition, whole) => {
    const asked = partOf(id)(partition, whole)
    const { low, high } = newestRecords(newestOf)(partition, asked)
    isCut ||= low > asked.low
    return { low, high }
  }
  const result = await readTopic(topic, async (records) => records.forEach(take), { part, signal })
  if (E.isLeft(result)) return result
  const [shown, beside] = [found.items(), others.items()]
  // Dead letters can be listed while MongoDB is unavailable.
  const sent = await redrives.find([...shown, ...beside].map((letter) => about(letter).memoryId)).catch(() => undefined)
  const withSent = (letter: A) => ({ ...letter, sentAt: sent && (sent.get(about(letter).memoryId) ?? []) })
  return E.right({
    count: found.count(),
    letters: shown.map(withSent),
    others: beside.map(withSent),
    groups: [...groups.values()],
    unreadable,
    isCut: isCut || signal.aborted,
  })
}

/** `erased`: its person was erased since, so it cannot be sent. Absent while MongoDB does not respond. */
export type FoundDeadLetter = StoredDeadLetter & { readonly checksum: number; readonly erased?: true }

const readFound = (record: IncomingRecord): FoundDeadLetter | undefined => {
  const letter = readDeadLetter(record)
  return E.isLeft(letter) ? undefined : { ...letter.right, checksum: crc32(record.value ?? '') }
}

export const findDeadLetters = async (
  ports: Ports,
  filters: Filters,
  extent: Extent,
): Promise<E.Either<Failure, Found<FoundDeadLetter>>> => {
  const { topic, cause, ...others } = filters
  const found = await find<FoundDeadLetter>(
    ports,
    {
      topic: deadLetters.name,
      read: readFound,
      about: (it) => ({ topic: it.origin.topic, cause: it.cause, at: it.failedAt, memoryId: memoryIdOf(it) }),
      fits: matches(filters),
      isGrouped: matches(others),
      id: filters.id,
    },
    extent,
  )
  if (E.isLeft(found)) return found
  const keys = [...found.right.letters, ...found.right.others].map(erasedKeyIn)
  const erasedAt = await ports.redrives.erasedAt(keys).catch(() => undefined)
  const withErased = (letter: Sent<FoundDeadLetter>): Sent<FoundDeadLetter> =>
    isErasedAt(letter, erasedAt?.get(nameOfErased(erasedKeyIn(letter)))) ? { ...letter, erased: true } : letter
  return E.right({
    ...found.right,
    letters: found.right.letters.map(withErased),
    others: found.right.others.map(withErased),
  })
}

export type QuarantinedLetter = NonNullable<ReturnType<typeof readRequest>>

const readRequest = (record: IncomingRecord) => {
  const headers = quarantineHeadersOf(record)
  if (E.isLeft(headers)) return undefined
  const { id, interface: api, received_at, reason, problems } = headers.right
  const shown = { interface: api, receivedAt: received_at, reason, bytes: record.value?.length ?? 0, problems }
  return { id: placeOf(record), account: String(record.key ?? ''), ...shown, memoryId: requestMemoryIdOf(id) }
}

export const findRequests = (ports: Ports, filters: QuarantineFilters, extent: Extent) => {
  const { reason, ...others } = filters
  const [fits, isGrouped] = [matchesRequest(filters), matchesRequest(others)]
  return find(
    ports,
    {
      topic: quarantine.name,
      read: readRequest,
      about: (it) => ({ topic: quarantine.name, cause: it.reason, at: it.receivedAt, memoryId: it.memoryId }),
      fits: (_, record) => fits(record),
      isGrouped: (_, record) => isGrouped(record),
      id: filters.id,
    },
    extent,
  )
}
