import * as t from 'io-ts'
import { Code } from '../personal.ts'
import { AccountId, Count } from '../primitives.ts'

/** The maximum number of events in `seen`. If it has fewer, it has every event that the document was folded from. */
export const maxSeen = 200

/** The maximum number of events in `seenEarlier`, and the number of characters of each event there. */
export const maxSeenEarlier = 10_000
export const seenEarlierLength = 11

/** The maximum size of a chat's log in its document, and of an event whose data is in timeline: in bytes of JSON. */
export const maxMessagesBytes = 4 * 1024 * 1024
export const maxDataBytes = 1024 * 1024

/**
 * In every document that is folded from events. They keep a document the same under any replay and any repetition:
 *
 * - The same record again: `applied` has, for each partition, offset and leader epoch of the last record that the document
 *   includes. A record at or below that offset changes nothing. A record of a newer epoch always counts: after a broker
 *   has lost the end of its log, new records have offsets that were used before.
 * - The same event in another record: `seen` and `seenEarlier` have the newest 10,200 events. One of them changes only
 *   `applied`. The bridge appends an event again only while it does not know whether its first attempt succeeded, so far
 *   fewer events lie between the two records.
 * - The same content in another event: `contentHash` is that of the last event of the service. An event with the same hash
 *   repeats it, and changes only these fields. If another event lies between, it is a new event: a chat that is accepted,
 *   finished and accepted again by the same agent may send the same body twice.
 */
export const folded = {
  /** The key of the document: `<account id>/<id>`. The view defines the id. */
  _id: Code,

  /** The customer account of the service, by its id in the accounts file. */
  accountId: AccountId,

  /**
   * For each `<topic>/<partition>`, the offset of the last record that the document includes, and under
   * `<topic>/<partition>/epoch` that record's leader epoch in Kafka.
   */
  applied: t.record(t.string, Count),

  /** The newest 200 events that the document includes, each as `<webhooks, bot, egress or erasures>/<ce_id>`. */
  seen: t.array(Code),
}

/**
 * How much later than the end of a call or a chat the event before it may come: as long as a slow request takes, until
 * the bridge has all of it and its event is in the log. In milliseconds.
 */
export const overtakenMs = 15_000

/** Marks a document that was emptied because its chat or client was erased. */
export const erased = {
  /** The chat or client was erased, and all personal data from before is removed. Data of later events is present. */
  erased: t.literal(true),
}

/** Fields that many documents do not need. */
export const foldedOptional = {
  ...erased,

  /** The 10,000 events before `seen`, oldest first. Of each, the first 11 characters of its SHA-256 in base64url. */
  seenEarlier: Code,

  /** The ce_contenthash of the last event. Absent if that event had none. */
  contentHash: Code,
}
