import * as t from 'io-ts'
import { Code } from '../personal.ts'
import { AccountId, Count } from '../primitives.ts'

/** How many events `seen` has at most: where it has fewer, it has all that the document was ever folded from. */
export const mostSeen = 200

/** How many events `seenEarlier` has at most, and how many characters each of them takes there. */
export const mostSeenEarlier = 10_000
export const seenEarlierLength = 11

/** How much of a chat's log its document has, and the largest event of which timeline has the data: in bytes of JSON. */
export const mostMessagesBytes = 4 * 1024 * 1024
export const mostDataBytes = 1024 * 1024

/**
 * In every document that is folded from events. `applied` has the offset of the last record of each partition that the
 * document has taken in; a record at or below it changes nothing, so a replay from any offset leaves the document as it is.
 * `seen` and `seenEarlier` have the newest 10,200 events; one of them again, at a later offset, changes nothing but `applied`.
 * The bridge appends an event again only while it does not know whether the first attempt succeeded, so far fewer events lie
 * between the two. `contentHashes` has the last hash of each type of event; a record with the same hash repeats the last
 * event and changes nothing but these notes.
 */
export const folded = {
  /** The document's key, as the view's name says: `<account id>/<id>`. */
  _id: Code,

  /** The customer account of the service, by its id in the accounts file. */
  accountId: AccountId,

  /** By `<topic>/<partition>`, the offset of the last record that was taken in. */
  applied: t.record(t.string, Count),

  /** The newest 200 events that were taken in, each as `<webhooks, bot, egress or erasures>/<ce_id>`. */
  seen: t.array(Code),
}

/** Whether a document was emptied, because its chat or client was erased. */
export const erased = {
  /** Its chat or client was erased: what was personal in it then is gone. What came later is there. */
  erased: t.literal(true),
}

/** The part of it that many documents do not need. */
export const foldedOptional = {
  ...erased,

  /** The 10,000 events before those of `seen`, oldest first: of each the first 11 characters of its SHA-256 in base64url. */
  seenEarlier: Code,

  /** By type of event, the ce_contenthash of the last one; absent where that one had none. */
  contentHashes: t.record(t.string, Code),
}
