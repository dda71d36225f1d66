import * as t from 'io-ts'
import { Count, exactShape, Id, Ticket } from '../../contracts/primitives.ts'
import { ChatDocument } from '../../contracts/views/chat.ts'
import { ConversationDocument } from '../../contracts/views/conversation.ts'
import { DailyStatsByDocument, DailyStatsDocument } from '../../contracts/views/daily-stats.ts'
import { DeliveryDocument } from '../../contracts/views/delivery.ts'
import { SessionDocument } from '../../contracts/views/session.ts'
import { ConsoleRole } from '../bridge/domain/accounts.ts'
import { type Also as AlsoValue, alsoText, type Certain, readAlso, readCertain } from '../bridge/domain/person/ids.ts'
import type { Stop } from '../bridge/operations/operation.ts'
import { DayOfSessions, Definition, MetricNames } from './definitions.ts'
import { documentOf, StoryEvent } from './documents.ts'

/** A time as RFC 3339. */
const Time = t.string
const Place = { topic: t.string, partition: Count, offset: Count }

/** The person who is signed in, and what the session may see. */
export const SessionAnswer = exactShape(
  {
    who: t.string,
    /** The header `X-CSRF-Token` of every request other than GET must have this value. */
    csrf: t.string,
    expiresAt: Time,
    /** The accounts that this session may see, and its roles for each. */
    accounts: t.array(
      t.strict({
        id: t.string,
        /** The IANA time zone of its days. The pages show all times in it. */
        timeZone: t.string,
        roles: t.array(ConsoleRole),
      }),
    ),
  },
  {
    /** A URL of a trace, with `{traceId}` in place of its id. */
    traceUrlTemplate: t.string,
  },
  'SessionAnswer',
)

/** What an operator does first. Absent if nothing has to be done. */
const firstStep = t.partial({ first: t.string })

/** The readiness of this process with the checks of /readyz, and how far each consumer group is behind. */
export const SystemAnswer = exactShape(
  {
    ready: t.boolean,
    checks: t.array(
      t.intersection([
        t.strict({
          name: t.string,
          state: t.keyof({ works: null, degraded: null, down: null, off: null, waits: null, unknown: null }),
          /** What it means for users. */
          words: t.string,
          /** The reason in the terms of /readyz. Empty for those who are not operators. */
          reason: t.string,
        }),
        firstStep,
      ]),
    ),
    /**
     * Circuit breakers of accounts that the session may see. Empty if this process does not post bot replies. `isOpen`:
     * the service fails, and the bridge rarely tries a reply. `refusesChats`: it refuses single chats and takes others.
     * `reason`: the state in words.
     */
    breakers: t.array(
      t.intersection([
        t.strict({ account: t.string, isOpen: t.boolean, reason: t.string }),
        t.partial({ refusesChats: t.literal(true) }),
        firstStep,
      ]),
    ),
    /** `behind` is a number of records; null if it is not known. */
    consumers: t.array(t.strict({ group: t.string, topic: t.string, behind: t.union([Count, t.null]) })),
    version: t.string,
    /** The views that can be rebuilt, in the order of their list. */
    views: t.array(t.string),
  },
  {},
  'SystemAnswer',
)

/** Of each figure what it is divided from. */
const FiguresSoFar = t.record(MetricNames, t.strict({ numerator: Count, denominator: Count }))
const StartedSessions = t.strict({ bot: Count, agent: Count })

/** The current state of the account, and the statistics of today. Query: `waits` all: up to 200 of the longest waits. */
export const NowAnswer = exactShape(
  {
    asOf: Time,
    /** Clients who have waited for a reply for less than 24 h: how many, and the five who have waited longest, or up to 200. */
    waiting: t.strict({ count: Count, longest: t.array(t.strict({ chatId: t.string, since: Time })) }),
    /** Bot conversations by state that had an event within 24 h. */
    conversations: t.strict({ bot: Count, invited: Count, agent: Count, unavailable: Count }),
    /** Open chats with agents that had an event within 24 h. */
    agentChats: Count,
    /** Sessions that began today, and on the same weekday last week until the same time of day. */
    started: t.strict({ today: StartedSessions, lastWeek: StartedSessions }),
    /** The document of daily_stats of today; null if there is none. */
    today: t.strict({ day: t.string, stats: t.union([documentOf(DailyStatsDocument), t.null]) }),
    /** The figures of the same weekday last week, as they were at the same time of day, to five minutes. */
    lastWeek: t.strict({ day: t.string, figures: FiguresSoFar }),
  },
  {},
  'NowAnswer',
)

/**
 * Events in each minute of the last 24 hours in which there was one, oldest first. `weekAgo`: events of the last hour,
 * as it was at this time a week ago. Null if no event of that time or before is stored.
 */
export const MinutesAnswer = exactShape(
  { minutes: t.array(t.strict({ at: Time, events: Count })), weekAgo: t.union([Count, t.null]) },
  {},
  'MinutesAnswer',
)

/** What every page shows above it. A count is null while it is not known. */
export const StripAnswer = exactShape(
  {
    /** What does not work by itself, in words for users: without what waits for Kafka or MongoDB. */
    wrong: t.array(
      t.strict({ name: t.string, state: t.keyof({ degraded: null, down: null, off: null }), words: t.string }),
    ),
    /** Null if it could not be read, as also below. */
    waiting: t.union([Count, t.null]),
  },
  {
    /** Dead letters, and requests in quarantine, of the account that are unresolved. Absent until first counted. */
    letters: t.union([Count, t.null]),
    quarantined: t.union([Count, t.null]),
  },
  'StripAnswer',
)

/** One session of a chat: with a bot, or with agents. */
export const ConversationRow = exactShape(
  {
    chatId: t.string,
    kind: t.keyof({ agent: null, bot: null }),
    number: Count,
    startedAt: Time,
    lastEventAt: Time,
    outcome: t.string,
    isOpen: t.boolean,
    clientMessages: Count,
    replies: Count,
    repliesFailed: Count,
    channelId: t.string,
    /** Ids of agents. Names are personal data, so only the conversation has them. */
    agents: t.array(t.string),
    /** How many differences the audit of the transcript found. */
    differences: Count,
  },
  {
    /** Since when the client's last message has no answer. Of a session that is over, it never got one. */
    waitingSince: Time,
    /** Of a session that is over: how long its client had waited then. */
    waitedMs: Count,
    clientId: t.string,
    channelType: t.string,
  },
  'ConversationRow',
)

/**
 * Newest first, or by `sort`: `oldest` first; `waits`, of sessions without an answer, the longest wait first; `longest`
 * first. `longest`, and `waits` unless `state` is open, are one page of the newest 10,000 that match. Query: `state`
 * open or over; `unanswered` true: the client's last message has no answer, also of ended sessions; `outcome`; `kind` agent or bot; `agent` and `widget`, ids; `from` and `to`, such as 2026-01-31 or
 * 2026-01-31T17:05, in the account's time zone; `failed` true; `id` of a chat or client; `cursor`, the `next` of the
 * previous page; `limit`, default 50, at most 200.
 */
export const ConversationsAnswer = exactShape(
  { rows: t.array(ConversationRow) },
  {
    next: t.string,
    /** How many there are, on the first page. `countIsMin`: there may be more. */
    count: Count,
    countIsMin: t.boolean,
  },
  'ConversationsAnswer',
)

/**
 * The story of a chat. `masked`: personal text is empty or left out. It has the newest 500 events; for older ones,
 * query `before` with the `earlier` of the previous answer. Deliveries are the newest 500 that were requested before
 * the newest event of the answer.
 */
export const ConversationAnswer = exactShape(
  {
    chatId: t.string,
    masked: t.boolean,
    /** Changes when anything in the answer changes. */
    version: t.string,
    sessions: t.array(documentOf(SessionDocument)),
    deliveries: t.array(documentOf(DeliveryDocument)),
    /** Oldest first. */
    events: t.array(StoryEvent),
  },
  {
    unmaskedUntil: Time,
    chat: documentOf(ChatDocument),
    conversation: documentOf(ConversationDocument),
    earlier: t.string,
  },
  'ConversationAnswer',
)

/** The time until which this session sees the personal data of the conversation. */
export const UnmaskAnswer = exactShape({ unmaskedUntil: Time }, {}, 'UnmaskAnswer')

/**
 * Query: days `from` and `to`; `by` day, agent, widget or bot; `id` of one of the last three. At most 400 days. With
 * `until` now, the last day has only its sessions with agents, as they were at this time of day: for a comparison with
 * days of which the last one is not over.
 */
export const StatisticsAnswer = exactShape(
  {
    from: t.string,
    to: t.string,
    by: t.keyof({ day: null, agent: null, widget: null, bot: null }),
    definitions: t.array(Definition),
    /** By day the documents of daily_stats, otherwise those of daily_stats_by. `until` now: the last day of its sessions. */
    rows: t.array(
      t.union([documentOf(DailyStatsDocument), documentOf(DailyStatsByDocument), documentOf(DayOfSessions)]),
    ),
  },
  {},
  'StatisticsAnswer',
)

/**
 * The replies that were given up from day `from` to day `to`, grouped by reason, the largest group first. Query: `from`,
 * `to`. `by`: whether the command was the bot's, or one that the bridge made itself. `status` and `code` are those of
 * the last answer of the service. `chats`: the five whose replies failed last. `others`: replies in groups that are not
 * in the answer. `cut`: there may be more replies, because only the newest were read.
 */
export const FailedRepliesAnswer = exactShape(
  {
    from: t.string,
    to: t.string,
    count: Count,
    others: Count,
    cut: t.boolean,
    groups: t.array(
      t.intersection([
        t.strict({
          reason: t.string,
          by: t.keyof({ bot: null, bridge: null }),
          commandType: t.string,
          count: Count,
          lastAt: Time,
          chats: t.array(t.string),
        }),
        t.partial({ status: Count, code: t.string }),
      ]),
    ),
  },
  {},
  'FailedRepliesAnswer',
)

/** Body: ids of agents. */
export const NamesBody = exactShape({ ids: t.array(Id) }, {}, 'NamesBody')

/** The names of agents by id, as far as they are known. */
export const NamesAnswer = exactShape({ names: t.record(t.string, t.string) }, {}, 'NamesAnswer')

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
 * Dead letters, or requests in quarantine, of the account. Query: `cause`, `topic`, `since`, `until` (RFC 3339), `chat`,
 * `reason`, `state`, `unowned`; `limit`, at most 1,000. A record that failed again is one letter, at its newest failure:
 * all numbers count records, not failures. `causes` and `topics`: those of all letters of the requested time. `groups`:
 * the letters that match the query, by cause and topic; without regard to `state` if it is `unresolved`; `reasons`:
 * the most frequent first. `letters`: the newest 200, or `limit`, that match the whole query, newest first. `count`: how
 * many match. `cut`: there may be more, because not all records were read. `redriven`: the times at which the newest
 * failure was sent again. `state`: `sent` if the record has not failed since; `failed-again` if it has, and `unresolved`
 * if it was never sent. The query `state=unresolved`, and each number named so, include those that failed again.
 * `reason`: what the contract expected, without what was sent.
 */
export const LettersAnswer = exactShape(
  {
    count: Count,
    cut: t.boolean,
    /** How many letters that match the other filters are in each state. */
    states: t.strict({ unresolved: Count, sent: Count, 'failed-again': Count }),
    causes: t.array(t.string),
    topics: t.array(t.string),
    groups: t.array(
      t.strict({
        cause: t.string,
        topic: t.string,
        count: Count,
        unresolved: Count,
        reasons: t.array(t.strict({ reason: t.string, count: Count, unresolved: Count })),
        firstAt: Time,
        lastAt: Time,
      }),
    ),
    letters: t.array(
      t.intersection([
        t.strict({
          id: t.string,
          topic: t.string,
          cause: t.string,
          at: Time,
          bytes: Count,
          state: t.keyof({ unresolved: null, sent: null, 'failed-again': null }),
          redriven: t.array(Time),
          /** How often the record has failed, this time included. */
          failures: Count,
          /** Its earlier failures, oldest first. Links may name them. */
          earlier: t.array(t.intersection([t.strict({ id: t.string }), t.partial({ appendedAt: Time })])),
        }),
        t.partial({
          consumer: t.string,
          interface: t.string,
          chatId: t.string,
          reason: t.string,
          /** When the record was appended to its own topic: `requestedAt` of a reply's outcome. */
          appendedAt: Time,
        }),
      ]),
    ),
  },
  {},
  'LettersAnswer',
)

/**
 * Whether a consumer has processed everything that its topic has now, so that what was sent back has succeeded or has
 * failed again. Query: `consumer`, `topic`. It waits up to 10 s for that.
 */
export const ProcessedAnswer = exactShape({ isProcessed: t.boolean }, {}, 'ProcessedAnswer')

/** Body: the letter's id, `partition/offset`. */
export const ShowBody = exactShape({ id: Id }, { unowned: t.literal(true) }, 'ShowBody')

/** The record, and the decoder's problems: where, and what was expected. An empty path means the whole value. */
export const LetterAnswer = exactShape(
  { record: RecordAnswer, problems: t.array(t.strict({ path: t.string, expected: t.string })) },
  {},
  'LetterAnswer',
)

/**
 * The operations of the command line that this session may run by a form. `value`: what the option's value is; absent
 * for a flag. `isConfirmed`: the page asks before each run. `confirm`: what the page asks before a run with the option.
 */
export const OperationsAnswer = exactShape(
  {
    operations: t.array(
      t.strict({
        name: t.string,
        summary: t.string,
        mayRunDry: t.boolean,
        isConfirmed: t.boolean,
        options: t.array(
          t.intersection([
            t.strict({ name: t.string, about: t.string, isRequired: t.boolean }),
            t.partial({ value: t.string, confirm: t.string }),
          ]),
        ),
      }),
    ),
  },
  {},
  'OperationsAnswer',
)

/**
 * Body: the operation, and its options by their names: text, or true for a flag.
 */
export const OperationBody = exactShape(
  { name: t.string, options: t.record(t.string, t.unknown), dryRun: t.boolean },
  {},
  'OperationBody',
)

const listOf = <A extends AlsoValue>(name: string, max: number, read: (text: string) => A | undefined, what: string) =>
  new t.Type<ReadonlyArray<A>, ReadonlyArray<string>, unknown>(
    name,
    (u): u is ReadonlyArray<A> => Array.isArray(u),
    (u, context) => {
      const given = Array.isArray(u) && u.length <= max ? u : [undefined]
      const values = given.flatMap((each) => (Id.is(each) ? [read(each)] : [])).filter((each) => each !== undefined)
      return values.length === given.length ? t.success(values) : t.failure(u, context, `at most ${max} of ${what}`)
    },
    (values) => values.map(alsoText),
  )
const Also = listOf('Also', 100, readAlso, 'email, phone, userToken, and ids such as client:1240')
const Except = listOf<Certain>('Except', 1_000, readCertain, 'ids such as client:1300')
const Identity = t.strict({ kind: t.string, value: t.string })

const maxBackupDays = 99_999
const isBackupDays = (u: unknown): u is number =>
  Number.isSafeInteger(u) && Number(u) >= 1 && Number(u) <= maxBackupDays
const BackupDays = new t.Type<number, number, unknown>(
  'BackupDays',
  isBackupDays,
  (u, context) =>
    isBackupDays(u) ? t.success(u) : t.failure(u, context, `a whole number of days from 1 to ${maxBackupDays}`),
  t.identity,
)

/**
 * Body: the person. `also`: others who are the same person, at most 100; `except`: who is not, although ids lead there,
 * at most 1,000. Only for `erase`: `confirm`, that of the last PersonAnswer, `ticket`, for the receipt and the audit log,
 * and `backupDays`: how long backups are kept, for the receipt.
 */
export const PersonBody = exactShape(
  { kind: t.keyof({ client: null, visitor: null, chat: null, email: null, phone: null }), value: Id },
  { also: Also, except: Except, confirm: t.string, ticket: Ticket, backupDays: BackupDays },
  'PersonBody',
)

/**
 * Chats and clients of a person that belong together. `ids`: send them as `except` to leave the part out, if `isSure`;
 * the others may be the same person: send the first as `also` to include the part. `via`: what joins it to the rest.
 * `through`: the place in the list of the part by which it was found. `isLikelyOther`: only a visitor number leads there,
 * and to another address. `erasedAt`: it was erased then, and nothing personal of it came later.
 */
const PersonPart = t.intersection([
  t.strict({
    ids: t.array(t.string),
    chats: t.array(t.string),
    clients: t.array(t.string),
    emails: t.array(t.string),
    via: t.array(Identity),
    isSure: t.boolean,
  }),
  t.partial({ through: Count, isLikelyOther: t.literal(true), erasedAt: Time }),
])

/** The chats and clients of the person, in parts too, with what is stored about the person. */
export const PersonAnswer = exactShape(
  {
    chats: t.array(t.string),
    clients: t.array(t.string),
    parts: t.array(PersonPart),
    stored: t.array(t.strict({ what: t.string, count: Count })),
    confirm: t.string,
    /** Erasures before of the one who was asked for, newest first: when, and the receipt's id. */
    erased: t.array(t.strict({ at: Time, receipt: t.string })),
  },
  {},
  'PersonAnswer',
)

export type SessionAnswer = t.TypeOf<typeof SessionAnswer>
export type SystemAnswer = t.TypeOf<typeof SystemAnswer>
export type MinutesAnswer = t.TypeOf<typeof MinutesAnswer>
export type StripAnswer = t.TypeOf<typeof StripAnswer>
export type NowAnswer = t.TypeOf<typeof NowAnswer>
export type ConversationRow = t.TypeOf<typeof ConversationRow>
export type ConversationsAnswer = t.TypeOf<typeof ConversationsAnswer>
export type ConversationAnswer = t.TypeOf<typeof ConversationAnswer>
export type UnmaskAnswer = t.TypeOf<typeof UnmaskAnswer>
export type StatisticsAnswer = t.TypeOf<typeof StatisticsAnswer>
export type FailedRepliesAnswer = t.TypeOf<typeof FailedRepliesAnswer>
export type NamesAnswer = t.TypeOf<typeof NamesAnswer>
export type RecordAnswer = t.TypeOf<typeof RecordAnswer>
export type LettersAnswer = t.TypeOf<typeof LettersAnswer>
/** Requests in quarantine have the same answers as dead letters. */
export type LettersKind = 'dead-letters' | 'quarantine'
export type ProcessedAnswer = t.TypeOf<typeof ProcessedAnswer>
export type LetterAnswer = t.TypeOf<typeof LetterAnswer>
export type OperationsAnswer = t.TypeOf<typeof OperationsAnswer>
export type OperationBody = t.TypeOf<typeof OperationBody>
export type PersonBody = t.TypeOf<typeof PersonBody>
export type PersonAnswer = t.TypeOf<typeof PersonAnswer>

/** How an operation ended: its exit code and what it has done, or why it did nothing. */
export type OperationEnd<Result> =
  | { readonly code: number; readonly result?: Result | undefined }
  | { readonly stop: Stop }

/**
 * A line of the NDJSON of an operation that runs: what it says, with the number of such lines so far, because a slow
 * reader misses some. The last line is the end.
 */
export type OperationLine<Event, Result> =
  | { readonly event: Event; readonly done: number }
  | { readonly end: OperationEnd<Result> }
