import * as E from 'fp-ts/lib/Either.js'
import type { DomainEvent } from '../../contracts/events/index.ts'
import { archiveNameOf, type EventTopic, eventTopics, type TopicName } from '../../contracts/topics.ts'
import type { FindErased } from '../domain/erased.ts'
import type {
  Append,
  CheckHealth,
  CommittedOffsets,
  ConsumerSpec,
  IncomingRecord,
  Slice,
  TopicIds,
} from '../domain/ports.ts'
import { type DataKeys, keyId } from './data-keys.ts'
import { erasureIn, mayErase } from './markers.ts'
import type { Missed } from './missed-erasures.ts'
import { seal } from './seal.ts'

/** The consumer group of the archiver. What it has committed is in the archive. */
export const archiverGroup = 'archiver'

type Name = EventTopic['name']
type EventRecord = IncomingRecord & { readonly topic: Name }

type Deps = {
  readonly keys: DataKeys
  readonly decode: (record: IncomingRecord) => E.Either<unknown, DomainEvent>
  readonly append: Append
  readonly findErased: FindErased
  /** The header of an unreadable batch of records: it says where the batch was. Undefined for other values. */
  readonly batchHeaderOf: (value: Buffer) => Buffer | undefined
  /** The archive topics that were created again after they were written to. Their records and offsets are lost. */
  readonly changedArchives: () => Promise<ReadonlyArray<string>>
  /**
   * The offset after the last record that a partition's archive has. Undefined if the archive is empty, or does not
   * say it.
   */
  readonly archivedTo: (topic: Name, partition: number, topicId: string) => Promise<number | undefined>
  /** What the archiver has committed for the topic as it is now. */
  readonly committed: CommittedOffsets
  /** Applies erasures that MongoDB has lost. Says what is to be archived again, or why archiving must not continue. */
  readonly missed: () => Promise<Missed>
  /** The text of an error that may be logged. */
  readonly reasonOf: (error: unknown) => string
}

const appendWithinMs = 30_000
const names = new Map<string, Name>(eventTopics.map(({ name }) => [name, name]))

/**
 * Copies every record of the event topics into the archive, in the same order and partitions. A slice is archived when
 * all its records are durable there. It may be delivered again, so the archive may have a record twice. The marker of
 * an erasure destroys the data key of its record key before any later record is encrypted.
 */
export const archiver = (deps: Deps) => {
  const { keys, decode, append, findErased, batchHeaderOf } = deps
  const { changedArchives, archivedTo, committed, missed, reasonOf } = deps
  let generations: TopicIds = new Map()
  let trouble: string | undefined
  let fits = false
  /** By topic and partition, what is to be archived again. Undefined while that is not known. */
  let again: Map<string, { from: number; readonly to: number }> | undefined

  const archive = async (records: ReadonlyArray<EventRecord>, generation: string) => {
    const sealing = await keys.forSealing(new Set(records.map(({ topic, key }) => keyId(topic, key))))
    const all = records.map((record) => ({ record, decoded: decode(record) }))
    const erased = await findErased(all.flatMap(({ decoded }) => (E.isRight(decoded) ? [decoded.right] : [])))
    const sealed = all.map(({ record, decoded }) => {
      const key = sealing.get(keyId(record.topic, record.key))
      if (key === undefined) throw new Error('a data key is missing')
      const isErased = E.isRight(decoded) && erased.has(decoded.right)
      return seal(isErased ? { ...record, erased: true } : record, generation, E.isRight(decoded), key)
    })
    const outcomes = await Promise.all(sealed.map((record) => append(record, appendWithinMs)))
    const failed = outcomes.find(E.isLeft)
    if (failed !== undefined) throw new Error(`${archiveNameOf(records[0]?.topic ?? 'chats')}: ${failed.left.reason}`)
  }
  /**
   * An erasure finds records by their keys. So the value of a record without a key is never archived. Only the place of
   * an unreadable batch is kept permanently, because a rebuild needs it.
   */
  const keptOf = (record: IncomingRecord): IncomingRecord =>
    record.key?.length || record.value === null
      ? record
      : { ...record, value: batchHeaderOf(record.value) ?? Buffer.alloc(0) }
  /** Archives the records before each marker separately, because the data key changes there. */
  const take = async ({ topic, records }: Slice) => {
    const name = names.get(topic)
    if (name === undefined) return
    const generation = generations.get(name) ?? ''
    let some: EventRecord[] = []
    for (const record of records) {
      if (mayErase(record) && erasureIn(record, decode(record)) !== undefined) {
        if (some.length > 0) await archive(some, generation)
        await keys.destroy(keyId(topic, record.key), { generation, partition: record.partition, offset: record.offset })
        some = []
      }
      some.push({ ...keptOf(record), topic: name })
    }
    if (some.length > 0) await archive(some, generation)
  }
  const archivedAgain = ({ topic, partition, records }: Slice) => {
    const part = again?.get(`${topic}/${partition}`)
    if (part === undefined) return
    part.from = Math.max(part.from, (records.at(-1)?.offset ?? -1) + 1)
    if (part.from >= part.to) again?.delete(`${topic}/${partition}`)
  }
  /**
   * The offsets up to which the archive has readable copies, of those that the group has committed: records whose keys
   * MongoDB has lost are to be archived again. None while that is not known.
   */
  const readableTo = (topic: TopicName, done: ReadonlyMap<number, number>): ReadonlyMap<number, number> =>
    new Map(
      again === undefined
        ? []
        : [...done].map(([partition, offset]) => [
            partition,
            Math.min(offset, again?.get(`${topic}/${partition}`)?.from ?? offset),
          ]),
    )
  const spec: ConsumerSpec = {
    group: archiverGroup,
    topics: eventTopics.map(({ name }) => name),
    commit: 'when-handled',
    // No process waits for the archive. Larger fetches share the cost of a fetch, a request and a look-up of keys.
    fetchWaitsFor: { bytes: 1024 * 1024, ms: 500 },
    onAssigned: () => {
      keys.forget()
      // The trouble may be of a partition that another process has now.
      trouble = undefined
    },
    refuseTopics: async (ids) => {
      generations = new Map([...generations, ...ids])
      // Once: the file is read only once too, and this looks at every data key.
      const misfit = fits ? undefined : await keys.misfit()
      if (misfit !== undefined) return misfit
      fits = true
      const changed = await changedArchives()
      if (changed.length === 0) {
        if (again !== undefined) return undefined
        const found = await missed()
        if ('refusal' in found) return found.refusal
        again = new Map(
          [...found.again].flatMap(([name, parts]) =>
            [...parts].map(([partition, part]) => [`${name}/${partition}`, { ...part }] as const),
          ),
        )
        return undefined
      }
      return `${changed.join(', ')}: deleted and created again, so archived records are lost: restore them from a copy`
    },
    // The archive's own log may have lost its end. So what it has counts, not only what was committed.
    startAt: async (topic, partition) => {
      const name = names.get(topic)
      const offset = (await committed(archiverGroup, topic)).get(partition)
      if (name === undefined || offset === undefined) return offset
      const from = again?.get(`${topic}/${partition}`)?.from ?? offset
      return Math.min(offset, from, (await archivedTo(name, partition, generations.get(name) ?? '')) ?? 0)
    },
    handle: async (slice) => {
      try {
        await take(slice)
        archivedAgain(slice)
        trouble = undefined
      } catch (error) {
        trouble = reasonOf(error)
        throw error
      }
    },
  }
  const health =
    (ofConsumer: CheckHealth): CheckHealth =>
    async () =>
      trouble === undefined ? ofConsumer() : { ok: false, reason: trouble }
  return { spec, health, readableTo }
}
