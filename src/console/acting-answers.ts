import * as t from 'io-ts'
import { Count, exactShape, Id, Instant } from '../../contracts/primitives.ts'
import type { ViewName } from '../../contracts/views.ts'
import { viewNames } from '../projections/view-topics.ts'

const View = t.keyof(Object.fromEntries(viewNames.map((name) => [name, null])) as Record<ViewName, null>)

/** A time as RFC 3339. */
export const Time = t.string
export const Place = { topic: t.string, partition: Count, offset: Count }
/** A document of a view as JSON, its times as RFC 3339, without the bridge's own notes (`applied`, `seen`, …). */
export const Document = t.UnknownRecord

/** Body of a request: which record. */
export const RecordBody = exactShape(Place, {}, 'RecordBody')

/** Header values, key and value as text; `base64` where the bytes are not UTF-8. */
const Bytes = t.union([t.strict({ text: t.string }), t.strict({ base64: t.string }), t.null])
/** A record with all that it holds. */
export const RecordAnswer = exactShape(
  { ...Place, time: Time, key: Bytes, value: Bytes, headers: t.array(t.strict({ name: t.string, value: Bytes })) },
  {},
  'RecordAnswer',
)

/**
 * Dead letters, or requests in quarantine, of the account: by cause and topic all that are of the time asked for, and the newest 200
 * of those that fit all of the query, the newest first. Query: `cause`, `topic`, `since`, `until` (RFC 3339). `count` is how many fit.
 * `cut`: there may be more, since not all records were read. `redriven`: when it was sent back, or taken in.
 */
export const LettersAnswer = exactShape(
  {
    count: Count,
    cut: t.boolean,
    groups: t.array(t.strict({ cause: t.string, topic: t.string, count: Count, firstAt: Time, lastAt: Time })),
    letters: t.array(
      t.intersection([
        t.strict({ id: t.string, topic: t.string, cause: t.string, at: Time, bytes: Count, redriven: t.array(Time) }),
        t.partial({ consumer: t.string, interface: t.string }),
      ]),
    ),
  },
  {},
  'LettersAnswer',
)

/** Body: the letter's id, `partition/offset`. */
export const ShowBody = exactShape({ id: Id }, {}, 'ShowBody')

/** The record, and what the decoder said of it: what it expected at which path. An empty path is the whole value. */
export const LetterAnswer = exactShape(
  { record: RecordAnswer, problems: t.array(t.strict({ path: t.string, expected: t.string })) },
  {},
  'LetterAnswer',
)

/**
 * Body: which; without `id` all that the filters name, at most `limit`. `again`: also what was sent before; `overwrite`: also what is
 * older than what its view has; `force`: also what was sent three times. Quarantine needs none of these three.
 */
export const RedriveBody = exactShape(
  { dryRun: t.boolean, limit: Count },
  {
    id: Id,
    cause: Id,
    topic: Id,
    since: Instant,
    until: Instant,
    again: t.boolean,
    overwrite: t.boolean,
    force: t.boolean,
  },
  'RedriveBody',
)

/**
 * One line of the answer's NDJSON: what became of a letter and how many there were until now, and at last the end. `sent`: that would
 * be sent, in a dry run; `before`: sent before; `kept`: it stays, for the reason in its line.
 */
export const RedriveLine = t.union([
  t.strict({ line: t.string, done: Count }),
  t.strict({ end: t.strict({ sent: Count, before: Count, kept: Count, failed: Count, words: t.string }) }),
])

/**
 * Body: `begin` a rebuild of this view, or of all; or `resume` or `discard` the one that was interrupted. `dryRun` only compares, which is
 * recorded too, since it tells ids.
 */
export const RebuildBody = exactShape(
  { what: t.keyof({ begin: null, resume: null, discard: null }), dryRun: t.boolean },
  { view: t.union([View, t.literal('all')]) },
  'RebuildBody',
)

/** One line of the answer's NDJSON: what the command would say, and at last whether it is done and, in a dry run, nothing differs. */
export const RebuildLine = t.union([
  t.strict({ line: t.string, done: Count }),
  t.strict({ end: t.strict({ ok: t.boolean }) }),
])

/** Body: who. `also`: likely links that are to be followed. `confirm`, for `erase` alone: that of the answer that was looked at. */
export const PersonBody = exactShape(
  { kind: t.keyof({ client: null, visitor: null, chat: null, email: null }), value: Id },
  { also: t.array(t.keyof({ email: null, phone: null, userToken: null })), confirm: t.string },
  'PersonBody',
)

/**
 * Whose chats and clients certainly are the same person's, who is likely the same (`name` is to be sent in `also`), and what is stored
 * of the person.
 */
export const PersonAnswer = exactShape(
  {
    chats: t.array(t.string),
    clients: t.array(t.string),
    likely: t.array(t.strict({ name: t.string, reason: t.string })),
    stored: t.array(t.strict({ what: t.string, count: Count })),
    confirm: t.string,
  },
  {},
  'PersonAnswer',
)

/**
 * The newest 100 receipts, the newest first, with the consumer groups that have confirmed each; not who was meant. `cut`: there are more
 * receipts, or there may be more confirmations.
 */
export const ErasuresAnswer = exactShape(
  { cut: t.boolean, erasures: t.array(t.strict({ receipt: Document, confirmedBy: t.array(t.string) })) },
  {},
  'ErasuresAnswer',
)

/** Documents of the view audit, the newest first: of the account, and those about all accounts. Query: `action`, `cursor`, `limit`. */
export const AuditAnswer = exactShape({ rows: t.array(Document) }, { next: t.string }, 'AuditAnswer')

export type RecordAnswer = t.TypeOf<typeof RecordAnswer>
export type LettersAnswer = t.TypeOf<typeof LettersAnswer>
export type LetterAnswer = t.TypeOf<typeof LetterAnswer>
export type RedriveBody = t.TypeOf<typeof RedriveBody>
export type RedriveLine = t.TypeOf<typeof RedriveLine>
export type RebuildBody = t.TypeOf<typeof RebuildBody>
export type RebuildLine = t.TypeOf<typeof RebuildLine>
export type RebuildEnd = Extract<RebuildLine, { end: unknown }>['end']
export type PersonBody = t.TypeOf<typeof PersonBody>
export type PersonAnswer = t.TypeOf<typeof PersonAnswer>
export type ErasuresAnswer = t.TypeOf<typeof ErasuresAnswer>
export type AuditAnswer = t.TypeOf<typeof AuditAnswer>
