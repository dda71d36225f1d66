import * as t from 'io-ts'
import { Code, Text } from '../personal.ts'
import { AccountId, BsonDate, Count, Day, exactShape, Id, Ticket } from '../primitives.ts'

/** What remains in one store, and what ends it: a day or a condition, each by itself or with somebody's help. */
export const Remains = exactShape(
  {
    /** The store: a topic by its name, `event-topics` for all topics of events, or another, such as `oplog`. */
    store: Code,
  },
  {
    /** The day on which the data is gone. */
    until: Day,
    /** What ends it if no day does, such as `space-reused`. Neither this nor a day: nobody has said when. */
    endsWhen: Code,
    /** Who must act: `operator`, `owner` of the store, `consumer`. Absent: it goes by itself. */
    who: Code,
  },
  'Remains',
)

/**
 * The receipt of one erasure. `started`: the bridge is writing the markers. `published`: all markers are in the log.
 * `complete`: a check found no more data of the person in views, enrichments and topics. No check reads files and
 * copies, which `remains` names too. Apart from `plan`, the person's ids are kept only as HMAC-SHA-256 (base64url),
 * under a key that only the bridge's database has. So a receipt proves an erasure and names nobody.
 */
export const ErasureDocument = exactShape(
  {
    /** The erasure's id, as its markers name it. */
    _id: Code,

    /** The customer account of the service, by its id in the accounts file. */
    accountId: AccountId,

    /** The progress of the erasure. */
    state: t.keyof({ started: null, published: null, complete: null }),

    /** Who requested it: an operator by name, or the account's time limit. */
    requestedBy: Text,

    /** When it was requested. */
    requestedAt: BsonDate,

    /** The HMAC of the request. The same request again continues an interrupted erasure. */
    request: Code,

    /** The HMAC of each id of the person, and of each key under which an enrichment was or may be published. */
    keys: t.array(Code),

    /** How many markers the erasure has. */
    markers: Count,

    /** How many documents the person had in each view and each copy of one, and how many enrichments. */
    found: t.record(t.string, Count),

    /**
     * What remains in which store, and what ends it. Later versions may have more stores. Receipts from before these
     * codes have sentences in `where` and `until` instead.
     */
    remains: t.array(Remains),
  },
  {
    /** What the erasure writes. Absent once all of it is written. */
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

    /** The number of the request in the requester's ticket system. */
    ticket: Ticket,

    /** The consumer groups that had confirmed the erasure at the last check. */
    confirmedBy: t.array(Code),

    /**
     * What the last check found, by store: `view chats`, `topic chats`, or `markers` that the projector has not read.
     */
    stillFound: t.record(t.string, Count),

    /**
     * What the last check found that is newer than the request, by store: documents, and enrichments that were published
     * since. It is no part of the erasure, because persons return. Absent if there is nothing.
     */
    publishedSince: t.record(t.string, Count),

    /** How many chats, clients and visitors the request named although no document did. Absent if there are none. */
    unnamed: Count,

    /** When the last check was. */
    checkedAt: BsonDate,

    /** When a check first found nothing. */
    completedAt: BsonDate,
  },
  'ErasureDocument',
)
export type ErasureDocument = t.TypeOf<typeof ErasureDocument>
export type Remains = t.TypeOf<typeof Remains>
