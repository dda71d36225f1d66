import * as t from 'io-ts'
import { Code, impersonal } from './personal.ts'
import { exactShape } from './primitives.ts'

/** A JSON Web Encryption object (RFC 7516) in flattened form, with `dir` and A256GCM. */
const Encrypted = exactShape(
  {
    /**
     * The algorithms; the id of the data key as `kid`; in `cty` what is encrypted: `json` or `bytes`; and `zip` if it was
     * compressed before.
     */
    protected: Code,
    /** The record's topic, the topic's id, partition, offset, ce_id and ce_type. The ciphertext is valid only there. */
    aad: Code,
    /** The initialization vector. */
    iv: Code,
    /** The encrypted content. */
    ciphertext: Code,
    /** The authentication tag. */
    tag: Code,
  },
  {},
  'Encrypted',
)

/**
 * An event in the archive. Its record has the key and the headers of the original record, and headers that name the
 * original place. A data key encrypts the personal data of one record key. The erasure of that chat or client deletes
 * the data key.
 */
export const ArchivedEvent = exactShape(
  {
    /** The data of the event without its personal fields. */
    data: impersonal(t.UnknownRecord),
  },
  {
    /** The personal fields, encrypted. Absent if the event has none, or if they were erased. */
    personal: Encrypted,
    /** Present if the personal fields were erased before the event reached the archive. */
    erased: t.literal(true),
  },
  'ArchivedEvent',
)
export type ArchivedEvent = t.TypeOf<typeof ArchivedEvent>

/**
 * Headers of an archived record beside the original ones: the original topic's id, and the record's partition, offset,
 * leader epoch and time there.
 */
export const archiveHeaders = {
  generation: 'archive_generation',
  partition: 'archive_partition',
  offset: 'archive_offset',
  epoch: 'archive_epoch',
  timestamp: 'archive_timestamp',
} as const
