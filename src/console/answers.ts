import * as t from 'io-ts'
import { Count, exactShape } from '../../contracts/primitives.ts'
import { consoleRoles } from './access-table.ts'
import { Document, Place, Time } from './acting-answers.ts'

export * from './acting-answers.ts'

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
        roles: t.array(
          t.keyof(
            Object.fromEntries(consoleRoles.map((role) => [role, null])) as Record<(typeof consoleRoles)[number], null>,
          ),
        ),
      }),
    ),
  },
  {
    /** A URL of a trace, with `{traceId}` in place of its id. */
    traceUrlTemplate: t.string,
  },
  'SessionAnswer',
)

/** The readiness of this process with the checks of /readyz, and how far each consumer group is behind. */
export const SystemAnswer = exactShape(
  {
    ready: t.boolean,
    checks: t.array(t.strict({ name: t.string, ok: t.boolean, reason: t.string })),
    /**
     * Circuit breakers of accounts that the session may see. Empty if this process does not post bot replies. `isOpen`:
     * the service fails, and the bridge rarely tries a reply. `reason`: the state in words.
     */
    breakers: t.array(t.strict({ account: t.string, isOpen: t.boolean, reason: t.string })),
    /** `behind` is a number of records; null if it is not known. */
    consumers: t.array(t.strict({ group: t.string, topic: t.string, behind: t.union([Count, t.null]) })),
    version: t.string,
  },
  {},
  'SystemAnswer',
)

/** The current state of the account, and the statistics of today. */
export const NowAnswer = exactShape(
  {
    asOf: Time,
    /** Clients who have waited for a reply for less than 24 h: how many, and the 20 who have waited longest. */
    waiting: t.strict({ count: Count, longest: t.array(t.strict({ chatId: t.string, since: Time })) }),
    /** Bot conversations by state that had an event within 24 h. */
    conversations: t.strict({ bot: Count, invited: Count, agent: Count, unavailable: Count }),
    /** Open chats with agents that had an event within 24 h. */
    agentChats: Count,
    /** Events in the last 60 s. */
    eventsLastMinute: Count,
    /** Documents of daily_stats: of today, and of the same weekday last week; null if there is none. */
    today: t.strict({ day: t.string, stats: t.union([Document, t.null]) }),
    lastWeek: t.strict({ day: t.string, stats: t.union([Document, t.null]) }),
  },
  {},
  'NowAnswer',
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
  { waitingSince: Time, clientId: t.string, channelType: t.string },
  'ConversationRow',
)

/**
 * Newest first. Query: `state` open or over; `waiting` true; `outcome`; `kind` agent or bot; `agent` and `widget`, ids;
 * `day`, such as 2026-01-31, in the account's time zone; `failed` true; `id` of a chat or client; `cursor`, the `next`
 * of the previous page; `limit`, default 50, at most 200.
 */
export const ConversationsAnswer = exactShape(
  { rows: t.array(ConversationRow) },
  { next: t.string },
  'ConversationsAnswer',
)

/**
 * One event of the story. In a masked answer `data` has no personal leaves. `omitted`: the event has more than 1 MiB,
 * and only its record has the data. `erased`: the chat was erased later, and its personal data was deleted.
 */
export const StoryEvent = exactShape(
  { id: t.string, type: t.string, time: Time, ...Place, data: Document },
  { extra: t.string, omitted: t.literal(true), erased: t.literal(true) },
  'StoryEvent',
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
    sessions: t.array(Document),
    deliveries: t.array(Document),
    /** Oldest first. */
    events: t.array(StoryEvent),
  },
  { unmaskedUntil: Time, chat: Document, conversation: Document, earlier: t.string },
  'ConversationAnswer',
)

/** The time until which this session sees the personal data of the conversation. */
export const UnmaskAnswer = exactShape({ unmaskedUntil: Time }, {}, 'UnmaskAnswer')

/** The meaning of a number in the statistics. */
export const Definition = t.strict({ name: t.string, definition: t.string, unit: t.string })

/** Query: days `from` and `to`; `by` day, agent, widget or bot; `id` of one of the last three. At most 400 days. */
export const StatisticsAnswer = exactShape(
  { from: t.string, to: t.string, by: t.string, definitions: t.array(Definition), rows: t.array(Document) },
  {},
  'StatisticsAnswer',
)

/** Query: `kind`, `limit`, `cursor`. A masked answer has no `path` and no `example`, and `_id` is empty. */
export const DriftAnswer = exactShape({ masked: t.boolean, rows: t.array(Document) }, { next: t.string }, 'DriftAnswer')

export type SessionAnswer = t.TypeOf<typeof SessionAnswer>
export type SystemAnswer = t.TypeOf<typeof SystemAnswer>
export type NowAnswer = t.TypeOf<typeof NowAnswer>
export type ConversationRow = t.TypeOf<typeof ConversationRow>
export type ConversationsAnswer = t.TypeOf<typeof ConversationsAnswer>
export type StoryEvent = t.TypeOf<typeof StoryEvent>
export type ConversationAnswer = t.TypeOf<typeof ConversationAnswer>
export type UnmaskAnswer = t.TypeOf<typeof UnmaskAnswer>
export type StatisticsAnswer = t.TypeOf<typeof StatisticsAnswer>
export type DriftAnswer = t.TypeOf<typeof DriftAnswer>
