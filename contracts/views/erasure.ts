import * as t from 'io-ts'
import { Code, Text } from '../personal.ts'
import { AccountId, BsonDate, Count, exactShape, Id } from '../primitives.ts'

/**
 * The receipt of one erasure. `started`: its markers are being written; `published`: all of them are in the log; `complete`: a
 * check has found nothing of the person in views, enrichments and topics any more. No check looks at files and copies, which
 * `remains` names too. Whom it was about is kept as HMAC-SHA-256 (base64url) alone, under a key that only the bridge's database has:
 * so a receipt proves that somebody was erased, and names nobody.
 */
export const ErasureDocument = exactShape(
  {
    /** The erasure's id, as its markers name it. */
    _id: Code,

    /** The customer account of the service, by its id in the accounts file. */
    accountId: AccountId,

    /** How far it is. */
    state: t.keyof({ started: null, published: null, complete: null }),

    /** Who asked for it: an operator by name, or the account's time limit. */
    requestedBy: Text,

    /** When. */
    requestedAt: BsonDate,

    /** The HMAC of what was asked for: the same again goes on with an erasure that was interrupted. */
    request: Code,

    /** The HMAC of each chat, client and enrichment that was erased. */
    keys: t.array(Code),

    /** How many markers were written. */
    markers: Count,

    /** How many documents the person had, by view, and how many enrichments. */
    found: t.record(t.string, Count),

    /** What remains where, and until when. */
    remains: t.array(
      exactShape(
        {
          /** The store. */
          where: Code,
          /** When it is gone, and what makes it go. */
          until: Code,
        },
        {},
        'Remains',
      ),
    ),
  },
  {
    /** What is to be written, as long as not all of it is. */
    plan: exactShape(
      {
        /** The person's chats. */
        chats: t.array(Id),
        /** The person's clients. */
        clients: t.array(Id),
        /** The keys of enrichments that are removed. */
        enrichments: t.array(Text),
      },
      {},
      'ErasurePlan',
    ),

    /** The consumer groups that have confirmed it, as of the last check. */
    confirmedBy: t.array(Code),

    /** What the last check has found, by store. */
    stillFound: t.record(t.string, Count),

    /** When it was last checked. */
    checkedAt: BsonDate,

    /** When a check found nothing any more. */
    completedAt: BsonDate,
  },
  'ErasureDocument',
)
export type ErasureDocument = t.TypeOf<typeof ErasureDocument>
