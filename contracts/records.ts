import * as t from 'io-ts'
import { DomainEvent } from './events/index.ts'
import { ceTypeOfVersion, versionNames } from './events/upcast.ts'
import { branded, exactShape, Id, Instant, NonBlank, patterns } from './primitives.ts'
import { deadLetterHeaders, quarantineHeaders, schemaId } from './topics.ts'

/** A whole number, 0 or more, in decimal digits: the only way that a header can hold one. */
export const Digits = branded('Digits', 'decimal digits', (text) => patterns.Digits.test(text))

const keysOf = <Key extends string>(keys: ReadonlyArray<Key>) =>
  Object.fromEntries(keys.map((key) => [key, null])) as Record<Key, null>

const versions = DomainEvent.types.flatMap(({ name }) => versionNames(name as DomainEvent['type']))

/** The headers of an event's record: CloudEvents 1.0, Kafka protocol binding, binary mode. `ce_id` is repeated by a repeat. */
export const EventHeaders = exactShape(
  {
    /** The version of CloudEvents. */
    ce_specversion: t.literal('1.0'),

    /** The event's identity within its source: a repeat has the same. */
    ce_id: Id,

    /** Which event it is, and which version of it. */
    ce_type: t.keyof(keysOf(versions.map(ceTypeOfVersion))),

    /** `/accounts/<account id>/webhooks`, `/bot`, `/egress` or `/erasures`. */
    ce_source: NonBlank,

    /** The chat's or the client's id. */
    ce_subject: Id,

    /** When the bridge took it in. */
    ce_time: Instant,

    /** The `$id` of the JSON Schema of the value. */
    ce_dataschema: t.keyof(keysOf(versions.map(schemaId))),

    /** What the value is. */
    'content-type': t.literal('application/json'),
  },
  {
    /** The trace that it belongs to (W3C Trace Context). */
    traceparent: t.string,

    /** Where the event began, in the same trace: it is kept by whoever appends the record again. */
    ce_traceparent: t.string,

    /** Of an event that came as a webhook: the HMAC-SHA-256 of the request's body, base64url. Equal bodies have equal hashes. */
    ce_contenthash: t.string,

    /** Only of a late event, whose request was in quarantine until an operator took it in: when the request came. */
    ce_receivedtime: Instant,
  },
  'EventHeaders',
)

/**
 * The headers of a record on quarantine, whose value is a request's body, byte for byte: the interface that it came by, what
 * was wrong with it and where (fields and what was expected there, never what was sent), and how it was sent.
 */
export const QuarantineHeaders = exactShape(
  {
    /** The request's own id: a record that is written twice has the same. */
    [quarantineHeaders.id]: Id,

    /** By which interface it came. */
    [quarantineHeaders.interface]: t.keyof({ webhooks: null, bot: null }),

    /** When it came. */
    [quarantineHeaders.receivedAt]: Instant,

    /** What was wrong: how it was sent, what is in it, that nobody knows its event, or its size. */
    [quarantineHeaders.reason]: t.keyof({
      'media-type': null,
      invalid: null,
      'unknown-event': null,
      'too-large': null,
    }),

    /** Where, and what was expected there; never what was sent. */
    [quarantineHeaders.problems]: t.string,
  },
  {
    /** Its Content-Type header. */
    [quarantineHeaders.contentType]: t.string,
    /** Its Content-Encoding header. */
    [quarantineHeaders.contentEncoding]: t.string,
    /** Its size in bytes where it was too large: then the value is its first 64 KiB. `unknown` if the request did not say. */
    [quarantineHeaders.size]: t.string,
  },
  'QuarantineHeaders',
)

/**
 * The headers that a dead letter has beside the original ones; key and value are the original's, byte for byte. They name
 * the record (topic without its prefix, partition, offset, when it was appended), the consumer that gave it up, why, in one
 * word and in a sentence, and when: this time and the first time. `dl_redriven` says how often the record was sent back before;
 * without it, never. A record that was sent back has it and `dl_first_failed_at` on its own topic too: consumers ignore them.
 */
export const DeadLetterHeaders = exactShape(
  {
    /** Where the record was: the topic, without its prefix. */
    [deadLetterHeaders.topic]: NonBlank,

    /** The topic's partition. */
    [deadLetterHeaders.partition]: Digits,

    /** The offset in it. */
    [deadLetterHeaders.offset]: Digits,

    /** When the record was appended there. */
    [deadLetterHeaders.timestamp]: Instant,

    /** Who gave it up. */
    [deadLetterHeaders.consumer]: NonBlank,

    /** Why, in a word. */
    [deadLetterHeaders.cause]: NonBlank,

    /** Why, in a sentence; never what the record holds. */
    [deadLetterHeaders.detail]: t.string,

    /** When it was given up. */
    [deadLetterHeaders.failedAt]: Instant,

    /** When it was given up for the first time. */
    [deadLetterHeaders.firstFailedAt]: Instant,
  },
  {
    /** How often it was sent back before; absent where never. */
    [deadLetterHeaders.redriven]: Digits,
  },
  'DeadLetterHeaders',
)
