import * as t from 'io-ts'
import { Count, exactShape, Id, Instant } from '../../contracts/primitives.ts'
import type { ViewName } from '../../contracts/views.ts'
import { viewNames } from '../projections/view-topics.ts'

const View = t.keyof(Object.fromEntries(viewNames.map((name) => [name, null])) as Record<ViewName, null>)

/** A time as RFC 3339. */
export const Time = t.string
export const Place = { topic: t.string, partition: Count, offset: Count }
/** A document of a view as JSON, with times as RFC 3339, without internal fields (`applied`, `seen`, …). */
export const Document = t.UnknownRecord

/** Body of a request: the place of a record. */
export const RecordBody = exactShape(Place, {}, 'RecordBody')

/** A header value, key or value: `text`, or `base64` if the bytes are not UTF-8. */
const Bytes = t.union([t.strict({ text: t.string }), t.strict({ base64: t.string }), t.null])
/** A complete record. */
export const RecordAnswer = exactShape(
  { ...Place, time: Time, key: Bytes, value: Bytes, headers: t.array(t.strict({ name: t.string, value: Bytes })) },
  {},
  'RecordAnswer',
)

/**
 * Dead letters, or requests in quarantine, of the account. Query: `cause`, `topic`, `since`, `until` (RFC 3339).
 * `groups`: all letters of the requested time, by cause and topic. `letters`: the newest 200 that match the whole
 * query, newest first. `count`: how many match. `cut`: there may be more, because not all records were read.
 * `redriven`: the times at which the letter was sent again.
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

/** The record, and the decoder's problems: where, and what was expected. An empty path means the whole value. */
export const LetterAnswer = exactShape(
  { record: RecordAnswer, problems: t.array(t.strict({ path: t.string, expected: t.string })) },
  {},
  'LetterAnswer',
)

/**
 * Body: the letter `id`, or without it all letters that match the filters, at most `limit`. `again`: also letters that
 * were sent before; `overwrite`: also letters older than the state in their view; `force`: also letters that were sent
 * three times. Requests in quarantine need none of these three.
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
 * One line of the answer's NDJSON: the result of a letter, with the number of letters so far. The last line is the end.
 * `sent`: in a dry run those that would be sent; `before`: sent before; `kept`: not sent, for the reason in its line.
 */
export const RedriveLine = t.union([
  t.strict({ line: t.string, done: Count }),
  t.strict({ end: t.strict({ sent: Count, before: Count, kept: Count, failed: Count, words: t.string }) }),
])

/**
 * Body: `begin` a rebuild of this view or of all views, or `resume` or `discard` the interrupted rebuild. `dryRun` only
 * compares. The audit log records a dry run too, because it shows ids.
 */
export const RebuildBody = exactShape(
  { what: t.keyof({ begin: null, resume: null, discard: null }), dryRun: t.boolean },
  { view: t.union([View, t.literal('all')]) },
  'RebuildBody',
)

/**
 * One line of the answer's NDJSON: a line of the command's output. The last line is the end. `ok`: the rebuild is done,
 * or in a dry run nothing differs.
 */
export const RebuildLine = t.union([
  t.strict({ line: t.string, done: Count }),
  t.strict({ end: t.strict({ ok: t.boolean }) }),
])

/** Body: the person. `also`: likely links to follow. `confirm`, only for `erase`: that of the last PersonAnswer. */
export const PersonBody = exactShape(
  { kind: t.keyof({ client: null, visitor: null, chat: null, email: null }), value: Id },
  { also: t.array(t.keyof({ email: null, phone: null, userToken: null })), confirm: t.string },
  'PersonBody',
)

/**
 * The chats and clients that certainly belong to the person, likely links to more of them (send `name` in `also` to
 * follow one), and what is stored about the person.
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
 * The newest 100 receipts, newest first, each with the consumer groups that have confirmed it. They do not name the
 * person. `cut`: there are more receipts, or there may be more confirmations.
 */
export const ErasuresAnswer = exactShape(
  { cut: t.boolean, erasures: t.array(t.strict({ receipt: Document, confirmedBy: t.array(t.string) })) },
  {},
  'ErasuresAnswer',
)

/** Documents of the view audit about this or all accounts, newest first. Query: `action`, `cursor`, `limit`. */
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
