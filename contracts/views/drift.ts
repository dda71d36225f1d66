import * as t from 'io-ts'
import { Code, Text } from '../personal.ts'
import { AccountId, BsonDate, Count, exactShape } from '../primitives.ts'
import type { ViewContract } from './contract.ts'

/** The maximum number of entries of an account. Findings beyond it are counted in the entry `others`. */
export const maxDriftEntries = 1_000

/** The kinds of entries. */
export const driftKinds = {
  'unknown-field': null,
  'unknown-event': null,
  'new-value': null,
  misfit: null,
  refused: null,
  others: null,
} as const

/** For how many requests in quarantine an entry remembers that it has counted them. */
export const maxDriftSeen = 500

/**
 * Something in the service's requests that the contracts do not know, at one place. `unknown-field`: a field of an
 * accepted event. `misfit`: a known field of an accepted event whose value does not fit, so that it is only in `extra`.
 * `new-value`: the same with a word where the contract lists others. `unknown-event`: an event name. `refused`: what
 * was wrong in a request that was refused. `others`: everything found after the account had 999 entries. Which findings
 * these are depends on the order in which partitions are read.
 *
 * Of a value, only its type and its shape are here. Any part of a path that does not look like a field's name, but like
 * an id, an address, a number, a token or a name with a capital, is `*`. So is the index of an array. If the service
 * uses persons' names in small letters as names of fields, the bridge cannot recognise them. So a path is personal
 * data, although no erasure finds it.
 *
 * Nothing is counted twice: no record that is read again, no event that was appended twice, and no request that is in
 * quarantine twice, if fewer than 500 others of this entry are between the two. Fields of accepted events come from the
 * event topics and their archive. A rebuild finds all of them except those of persons who were erased since. The rest
 * comes from `quarantine`, which keeps records for 14 days. A rebuild finds no older requests, and the entry then
 * begins with the first one that is left.
 */
export const DriftDocument = exactShape(
  {
    /** `<account id>/<kind>/<api>/<event>/<path>`, or `<account id>/others`. */
    _id: Text,

    /** The customer account of the service, by its id in the accounts file. */
    accountId: AccountId,

    /** The kind of entry. */
    kind: t.keyof(driftKinds),

    /** How many requests had it. */
    count: Count,

    /** The JSON types that were there. `nothing`: a field was missing. `not JSON`: the body could not be read. */
    types: t.array(
      t.keyof({
        text: null,
        number: null,
        boolean: null,
        null: null,
        object: null,
        array: null,
        nothing: null,
        'not JSON': null,
      }),
    ),

    /** When the bridge received the first of these requests. */
    firstAt: BsonDate,

    /** When the bridge received the last of these requests. */
    lastAt: BsonDate,

    /** For each `<topic>/<partition>`, the offset of the last record that the document includes. */
    applied: t.record(t.string, Count),
  },
  {
    /** The newest 500 counted requests in quarantine. Of each, the first 11 characters of its SHA-256 in base64url. */
    seen: Code,

    /** The interface that received the requests. */
    api: t.keyof({ webhooks: null, bot: null }),

    /** The name that the service gives the event; `*` if it does not look like an event's name. */
    event: Code,

    /** The path in the request: `visitor.loyalty.level`, `agents.*.skill`. */
    path: Text,

    /** What the contract expected there in the first request. */
    expected: Code,

    /**
     * The shape of the first value: `text of 5: Aaaa9`. `A` is any capital letter, `a` any other letter, `9` a digit,
     * `_` a space, and `#` any other character.
     */
    example: Code,
  },
  'DriftDocument',
)
export type DriftDocument = t.TypeOf<typeof DriftDocument>

export const drift = { name: 'drift', version: 2, document: DriftDocument } as const satisfies ViewContract
