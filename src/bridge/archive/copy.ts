import * as E from 'fp-ts/lib/Either.js'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import { archiveNameOf, type EventTopicName } from '../../../contracts/topics.ts'
import type { Append, IncomingRecord } from '../domain/log/record.ts'
import type { FindErased } from '../domain/person/erased.ts'
import { type DataKeys, keyId } from './data-keys.ts'
import { erasureIn, mayErase } from './markers.ts'
import { seal } from './seal.ts'

type EventRecord = IncomingRecord & { readonly topic: EventTopicName }

export type CopyDeps = {
  readonly keys: DataKeys
  readonly decode: (record: IncomingRecord) => E.Either<unknown, DomainEvent>
  readonly append: Append
  readonly findErased: FindErased
  /** The header of an unreadable batch of records: it says where the batch was. Undefined for other values. */
  readonly batchHeaderOf: (value: Buffer) => Buffer | undefined
}

const appendWithinMs = 30_000

/**
 * Encrypts records of a partition and appends them to its archive. Resolves when all are durable there. `generation` is
 * the id of their topic. The marker of an erasure destroys the data key of its record key before any later record is
 * encrypted.
 */
export const copyIntoArchive = ({ keys, decode, append, findErased, batchHeaderOf }: CopyDeps) => {
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
  return async (name: EventTopicName, records: ReadonlyArray<IncomingRecord>, generation: string): Promise<void> => {
    let some: EventRecord[] = []
    for (const record of records) {
      if (mayErase(record) && erasureIn(record, decode(record)) !== undefined) {
        if (some.length > 0) await archive(some, generation)
        await keys.destroy(keyId(name, record.key), { generation, partition: record.partition, offset: record.offset })
        some = []
      }
      some.push({ ...keptOf(record), topic: name })
    }
    if (some.length > 0) await archive(some, generation)
  }
}
