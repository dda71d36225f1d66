import * as t from 'io-ts'
import { Code, Text } from '../personal.ts'
import { AccountId, BsonDate, Count, exactShape } from '../primitives.ts'

/** How many entries an account has at most; what finds no room any more is counted in the entry `others`. */
export const mostDriftEntries = 1_000

/** What may be unknown. */
export const driftKinds = {
  ...{ 'unknown-field': null, 'unknown-event': null, 'new-value': null },
  ...{ refused: null, others: null },
} as const

/** Of how many requests in quarantine an entry knows that it has counted them. */
export const mostDriftSeen = 500

/**
 * Something that the contracts do not know of what the service sends, at one place. `unknown-field`: a field of an event that was
 * taken in. `unknown-event`: an event name. `new-value`: a word where the contract lists others. `refused`: what else was refused.
 * `others`: all that came after the account had 999 entries; which of them those are depends on the order in which partitions are read.
 *
 * Of a value only its kind and its shape are here. A part of a path that does not look like a field's name, but like an id, an address,
 * a number, a token or a name with a capital, is `*`, and so is the index of an array. Where the service has persons' names in small letters
 * as names of fields, nothing tells them from others: so a path is personal, though no erasure finds it.
 *
 * A record that is read again is not counted again, nor is an event that was appended twice, nor a request in quarantine that was, as
 * long as fewer than 500 others of this entry are between the two. Unknown fields come from the event topics and their archive: a rebuild finds
 * all of them but those of persons who were erased since. The rest comes from `quarantine`, which is kept for 14 days: a rebuild
 * finds no older requests, and the entry then begins with the first one that is left.
 */
export const DriftDocument = exactShape(
  {
    /** `<account id>/<kind>/<api>/<event>/<path>`, or `<account id>/others`. */
    _id: Text,

    /** The customer account of the service, by its id in the accounts file. */
    accountId: AccountId,

    /** What is not known. */
    kind: t.keyof(driftKinds),

    /** In how many requests it was. */
    count: Count,

    /** What was there, in JSON's words; `nothing` where a field was missing, `not JSON` where the body could not be read. */
    types: t.array(
      t.keyof({
        ...{ text: null, number: null, boolean: null, null: null, object: null, array: null },
        ...{ nothing: null, 'not JSON': null },
      }),
    ),

    /** When the first of these requests came. */
    firstAt: BsonDate,

    /** When the last one did. */
    lastAt: BsonDate,

    /** By `<topic>/<partition>`, the offset of the last record that was taken in. */
    applied: t.record(t.string, Count),
  },
  {
    /** The newest 500 requests in quarantine that were counted: of each the first 11 characters of its SHA-256 in base64url. */
    seen: Code,

    /** The interface. */
    api: t.keyof({ webhooks: null, bot: null }),

    /** The event, by the name that the service gives it; `*` if it has none that looks like one. */
    event: Code,

    /** Where in the request: `visitor.loyalty.level`, `agents.*.skill`. */
    path: Text,

    /** What the contract expected there, when it was refused first. */
    expected: Code,

    /** The shape of the first value: `text of 5: Aaaa9`. A for a capital letter, a for another one, 9 for a digit, _ for a space, # else. */
    example: Code,
  },
  'DriftDocument',
)
export type DriftDocument = t.TypeOf<typeof DriftDocument>
