import * as t from 'io-ts'
import { Code, impersonal } from './personal.ts'
import { exactShape } from './primitives.ts'

/** Encrypted JSON Web Encryption (RFC 7516) in its flattened form: `dir`, A256GCM. */
const Encrypted = exactShape(
  {
    /** The algorithms, the data key's id as `kid`, and as `cty` whether `json` or `bytes` are encrypted. */
    protected: Code,
    /** The place of the record: topic, partition, offset, ce_id and ce_type. Nothing else can be put in its place. */
    aad: Code,
    /** The initialization vector. */
    iv: Code,
    /** What is encrypted. */
    ciphertext: Code,
    /** The authentication tag. */
    tag: Code,
  },
  {},
  'Encrypted',
)

/**
 * An event in the archive, under the key and the headers of its record, beside those that say where that stood. A data key
 * encrypts what one record key says of persons; after the erasure of that chat or client nobody has it any more.
 */
export const ArchivedEvent = exactShape(
  {
    /** The event's data as far as they are not personal; every personal field is absent. */
    data: impersonal(t.UnknownRecord),
  },
  {
    /** The personal fields, encrypted; absent where the event has none, or they were erased. */
    personal: Encrypted,
    /** The personal fields were erased before the event came here. */
    erased: t.literal(true),
  },
  'ArchivedEvent',
)
export type ArchivedEvent = t.TypeOf<typeof ArchivedEvent>

/** Headers of an archived record beside those that it had: the id of its topic, and its place and time there. */
export const archiveHeaders = {
  generation: 'archive_generation',
  partition: 'archive_partition',
  offset: 'archive_offset',
  timestamp: 'archive_timestamp',
} as const
