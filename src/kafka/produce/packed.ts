import type { TopicName } from '../../../contracts/topics.ts'
import type { Headers, OutgoingRecord } from '../../domain/ports.ts'
import { writeFields } from './fields.ts'
import type { Writer } from './writer.ts'

/** Reads what `Writer` writes, from a place on. */
const reader = (bytes: Buffer) => {
  let at = 0
  const varint = () => {
    let value = 0
    let factor = 1
    for (;;) {
      const byte = bytes[at++] ?? 0
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2
      factor *= 0x80
    }
  }
  const part = (): Buffer | null => {
    const size = varint()
    if (size < 0) return null
    at += size
    return bytes.subarray(at - size, at)
  }
  return { varint, part, text: () => part()?.toString() ?? null }
}

/**
 * A record whose key, value and headers are all text, and are kept as a batch will hold them: it is written once, where it was
 * made, and read only where somebody asks for a part of it, as the journal does.
 */
export class PackedRecord implements OutgoingRecord {
  readonly topic: TopicName
  readonly packed: Buffer

  constructor(topic: TopicName, packed: Buffer) {
    this.topic = topic
    this.packed = packed
  }

  /** The key's bytes. */
  get keyBytes(): Buffer | null {
    return reader(this.packed).part()
  }

  get key(): string | null {
    return this.keyBytes?.toString() ?? null
  }

  get value(): string | null {
    const { part, text } = reader(this.packed)
    part()
    return text()
  }

  get headers(): Headers {
    const { part, text, varint } = reader(this.packed)
    part()
    part()
    return Object.fromEntries(Array.from({ length: varint() }, () => [text() ?? '', text() ?? '']))
  }
}

/** Writes what a packed record holds. */
export const packRecord = (to: Writer, { key, value, headers }: OutgoingRecord): void =>
  writeFields(to, { key, value, headers })

export const isPacked = (record: object): record is PackedRecord => record instanceof PackedRecord
