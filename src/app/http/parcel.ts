import { type DomainEvent, DomainEvent as events } from '../../../contracts/events/index.ts'
import { topics } from '../../../contracts/topics.ts'
import type { OutgoingRecord } from '../../domain/ports.ts'
import { PackedRecord, packRecord } from '../../kafka/produce/packed.ts'
import { writer } from '../../kafka/produce/writer.ts'

/** A record on its way to the main thread; the number is given back with what became of it. */
export type Sent = {
  readonly number: number
  readonly withinMs: number
  readonly record: OutgoingRecord
  readonly type: DomainEvent['type']
  readonly source: DomainEvent['source']
}

const topicNames = topics.map(({ name }) => name)
const types = events.types.map(({ name }) => name as DomainEvent['type'])
const numberOf = <A>(all: ReadonlyArray<A>) => {
  const numbers = new Map(all.map((each, i) => [each, i]))
  return (each: A) => numbers.get(each) ?? all.length
}
const [topicNumber, typeNumber] = [numberOf<string>(topicNames), numberOf<string>(types)]

const usualBytes = 64 * 1024

/** Records as bytes, one after the other, each packed as Kafka's batches hold it: nothing of them is cloned or encoded again. */
export const packing = () => {
  const to = writer(usualBytes)
  return {
    add: ({ number, withinMs, record, type, source }: Sent): void => {
      to.int32(number)
      to.int32(Math.ceil(withinMs))
      to.int8(topicNumber(record.topic))
      to.int8(typeNumber(type))
      to.string(source)
      const lengthAt = to.position()
      to.int32(0)
      packRecord(to, record)
      to.int32At(lengthAt, to.position() - lengthAt - 4)
    },
    /** All that was added since the last time, in memory of its own. */
    take: (): Uint8Array => {
      const bytes = new Uint8Array(to.bytes())
      to.clear()
      return bytes
    },
  }
}

/** What was packed, in its order; the records' parts are read where somebody asks for them. */
export const unpack = function* (parcel: Uint8Array): Generator<Sent> {
  const bytes = Buffer.from(parcel.buffer, parcel.byteOffset, parcel.byteLength)
  for (let at = 0; at < bytes.length; ) {
    const number = bytes.readInt32BE(at)
    const withinMs = bytes.readInt32BE(at + 4)
    const topic = topicNames[bytes.readInt8(at + 8)]
    const type = types[bytes.readInt8(at + 9)]
    const sourceEnd = at + 12 + bytes.readInt16BE(at + 10)
    const source = bytes.toString('utf8', at + 12, sourceEnd) as DomainEvent['source']
    const end = sourceEnd + 4 + bytes.readInt32BE(sourceEnd)
    if (topic === undefined || type === undefined) throw new Error('a parcel of an unknown topic or type')
    yield { number, withinMs, record: new PackedRecord(topic, bytes.subarray(sourceEnd + 4, end)), type, source }
    at = end
  }
}
