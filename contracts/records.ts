import * as t from 'io-ts'
import { DomainEvent } from './events/index.ts'
import { ceTypeOfVersion, schemaId, versionNames } from './events/upcast.ts'
import { branded, exactShape, Id, Instant, NonBlank, patterns } from './primitives.ts'

/**
 * Headers of a quarantine record; its value is the request's body, byte for byte. `problems` names fields, not values.
 */
export const quarantineHeaders = {
  id: 'id',
  interface: 'interface',
  receivedAt: 'received_at',
  reason: 'reason',
  problems: 'problems',
  contentType: 'content_type',
  contentEncoding: 'content_encoding',
  size: 'size',
} as const

/**
 * Headers that a dead letter has beside the original ones. Key and value are the original's, byte for byte. A record
 * that was sent back keeps the last two on its own topic, where consumers ignore them.
 */
export const deadLetterHeaders = {
  topic: 'dl_topic',
  partition: 'dl_partition',
  offset: 'dl_offset',
  timestamp: 'dl_timestamp',
  consumer: 'dl_consumer',
  cause: 'dl_cause',
  detail: 'dl_detail',
  failedAt: 'dl_failed_at',
  firstFailedAt: 'dl_first_failed_at',
  redriven: 'dl_redriven',
} as const

/** A whole number, 0 or more, in decimal digits. Numbers in headers have this form. */
export const Digits = branded('Digits', 'decimal digits', (text) => patterns.Digits.test(text))

const keysOf = <Key extends string>(keys: ReadonlyArray<Key>) =>
  Object.fromEntries(keys.map((key) => [key, null])) as Record<Key, null>

const versions = DomainEvent.types.flatMap(({ name }) => versionNames(name as DomainEvent['type']))

/**
 * The headers of an event's record: CloudEvents 1.0, Kafka protocol binding, binary mode. A repeat has the same
 * `ce_id`.
 */
export const EventHeaders = exactShape(
  {
    /** The version of CloudEvents. */
    ce_specversion: t.literal('1.0'),

    /** The id of the event, unique within its source. A repeated event has the same id. */
    ce_id: Id,

    /** The type of the event and its version. */
    ce_type: t.keyof(keysOf(versions.map(ceTypeOfVersion))),

    /** `/accounts/<account id>/webhooks`, `/bot`, `/egress` or `/erasures`. */
    ce_source: NonBlank,

    /** The chat's or the client's id. */
    ce_subject: Id,

    /** When the bridge received or made the event. */
    ce_time: Instant,

    /** The `$id` of the JSON Schema of the value. */
    ce_dataschema: t.keyof(keysOf(versions.map(schemaId))),

    /** The media type of the value. */
    'content-type': t.literal('application/json'),
  },
  {
    /** The trace of the event (W3C Trace Context). */
    traceparent: t.string,

    /** Where the event began, in the same trace. A process that appends the record again keeps it. */
    ce_traceparent: t.string,

    /**
     * For an event from a webhook: the HMAC-SHA-256 of the request's body, base64url. Equal bodies have equal hashes.
     */
    ce_contenthash: t.string,

    /** Only on a late event, whose request was in quarantine until an operator took it in: when the request came. */
    ce_receivedtime: Instant,
  },
  'EventHeaders',
)

/**
 * The headers of a record on quarantine. The value is the request's body, byte for byte. The headers name the
 * interface, what was wrong and where, and how the request was sent. They have field names and what was expected there,
 * never what was sent.
 */
export const QuarantineHeaders = exactShape(
  {
    /** The id of the request. If the record is written twice, both have the same id. */
    [quarantineHeaders.id]: Id,

    /** The interface that received the request. */
    [quarantineHeaders.interface]: t.keyof({ webhooks: null, bot: null }),

    /** When the bridge received the request. */
    [quarantineHeaders.receivedAt]: Instant,

    /** What was wrong: how the request was sent, its content, an unknown event, its size, or that Kafka refuses it. */
    [quarantineHeaders.reason]: t.keyof({
      'media-type': null,
      invalid: null,
      'unknown-event': null,
      'too-large': null,
      'refused-by-kafka': null,
    }),

    /** Where the problems are, and what was expected there; never what was sent. */
    [quarantineHeaders.problems]: t.string,
  },
  {
    /** The Content-Type header of the request. */
    [quarantineHeaders.contentType]: t.string,
    /** The Content-Encoding header of the request. */
    [quarantineHeaders.contentEncoding]: t.string,
    /** The size in bytes of a request that was too large; `unknown` if not stated. Its value has the first 64 KiB. */
    [quarantineHeaders.size]: t.string,
  },
  'QuarantineHeaders',
)

/**
 * The headers that a dead letter has beside the original ones. Key and value are the original's, byte for byte. The
 * headers name the record (topic without its prefix, partition, offset, when it was appended), the consumer that gave
 * it up, the reason as a word and as a sentence, and when it was given up: this time and the first time. `dl_redriven`
 * is how often the record was sent back before; it is absent if never. A record that was sent back keeps `dl_redriven`
 * and `dl_first_failed_at` on its own topic, where consumers ignore them.
 */
export const DeadLetterHeaders = exactShape(
  {
    /** The topic of the record, without its prefix. */
    [deadLetterHeaders.topic]: NonBlank,

    /** The partition of the record. */
    [deadLetterHeaders.partition]: Digits,

    /** The offset of the record. */
    [deadLetterHeaders.offset]: Digits,

    /** When the record was appended to that topic. */
    [deadLetterHeaders.timestamp]: Instant,

    /** The consumer that gave the record up. */
    [deadLetterHeaders.consumer]: NonBlank,

    /** The reason, as one word. */
    [deadLetterHeaders.cause]: NonBlank,

    /** The reason, as a sentence. It never has data of the record. */
    [deadLetterHeaders.detail]: t.string,

    /** When the record was given up. */
    [deadLetterHeaders.failedAt]: Instant,

    /** When the record was given up for the first time. */
    [deadLetterHeaders.firstFailedAt]: Instant,
  },
  {
    /** How often the record was sent back before. Absent if never. */
    [deadLetterHeaders.redriven]: Digits,
  },
  'DeadLetterHeaders',
)

export const exampleQuarantine = {
  id: '0d5f8a52-7c4e-4b0a-9f0e-6a3c1f2b4d71',
  interface: 'webhooks',
  received_at: '2022-10-10T15:31:19.512Z',
  reason: 'invalid',
  problems: 'chat_id: expected an integer or text',
  content_type: 'application/json',
}

export const exampleDeadLetter = {
  dl_topic: 'bot-replies',
  dl_partition: '7',
  dl_offset: '1042',
  dl_timestamp: '2022-10-10T15:31:20.000Z',
  dl_consumer: 'egress',
  dl_cause: 'invalid',
  dl_detail: 'message.buttons: expected 1 to 3 buttons',
  dl_failed_at: '2022-10-10T15:31:20.010Z',
  dl_first_failed_at: '2022-10-10T15:31:20.010Z',
}
