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
    ce_specversion: t.literal('1.0'),
    ce_id: Id,
    ce_type: t.keyof(keysOf(versions.map(ceTypeOfVersion))),
    ce_source: NonBlank,
    ce_subject: Id,
    ce_time: Instant,
    ce_dataschema: t.keyof(keysOf(versions.map(schemaId))),
    'content-type': t.literal('application/json'),
  },
  { traceparent: t.string },
  'EventHeaders',
)

/**
 * The headers of a record on quarantine, whose value is a request's body, byte for byte: the interface that it came by, what
 * was wrong with it and where (fields and what was expected there, never what was sent), and how it was sent.
 */
export const QuarantineHeaders = exactShape(
  {
    [quarantineHeaders.interface]: t.keyof({ webhooks: null, bot: null }),
    [quarantineHeaders.receivedAt]: Instant,
    [quarantineHeaders.reason]: t.keyof({ 'media-type': null, invalid: null, 'unknown-event': null }),
    [quarantineHeaders.problems]: t.string,
  },
  { [quarantineHeaders.contentType]: t.string, [quarantineHeaders.contentEncoding]: t.string },
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
    [deadLetterHeaders.topic]: NonBlank,
    [deadLetterHeaders.partition]: Digits,
    [deadLetterHeaders.offset]: Digits,
    [deadLetterHeaders.timestamp]: Instant,
    [deadLetterHeaders.consumer]: NonBlank,
    [deadLetterHeaders.cause]: NonBlank,
    [deadLetterHeaders.detail]: t.string,
    [deadLetterHeaders.failedAt]: Instant,
    [deadLetterHeaders.firstFailedAt]: Instant,
  },
  { [deadLetterHeaders.redriven]: Digits },
  'DeadLetterHeaders',
)
