import * as t from 'io-ts'
import { Count, exactShape } from '../../contracts/primitives.ts'
import { consoleRoles } from './access-table.ts'
import { Document, Place, Time } from './acting-answers.ts'

export * from './acting-answers.ts'

/** Who is signed in, and what he may see. */
export const SessionAnswer = exactShape(
  {
    who: t.string,
    /** To be sent as the header `X-CSRF-Token` with every request other than GET. */
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
    /** A link to a trace; `{traceId}` is to be replaced. */
    traceUrlTemplate: t.string,
  },
  'SessionAnswer',
)

/** What /readyz says of this process, and how far each consumer group is behind. */
export const SystemAnswer = exactShape(
  {
    ready: t.boolean,
    checks: t.array(t.strict({ name: t.string, ok: t.boolean, reason: t.string })),
    /** Where this process posts bot replies, of the accounts that the session may see: whether the service is spared, and in words. */
    breakers: t.array(t.strict({ account: t.string, isOpen: t.boolean, reason: t.string })),
    /** `behind` in records; null where that is not known. */
    consumers: t.array(t.strict({ group: t.string, topic: t.string, behind: t.union([Count, t.null]) })),
    version: t.string,
  },
  {},
  'SystemAnswer',
)

/** What happens now, and what has happened today. */
export const NowAnswer = exactShape(
  {
    asOf: Time,
    /** Clients whom neither bot nor agent has answered within 24 h: how many, and the 20 who have waited longest. */
    waiting: t.strict({ count: Count, longest: t.array(t.strict({ chatId: t.string, since: Time })) }),
    /** Bot conversations by state that had an event within 24 h. */
    conversations: t.strict({ bot: Count, invited: Count, agent: Count, unavailable: Count }),
    /** Chats with agents that are open and had an event within 24 h. */
    agentChats: Count,
    /** Events in the last 60 s. */
    eventsLastMinute: Count,
    /** Documents of daily_stats: today, and the same weekday of last week; null where there is none. */
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
    /** Their ids: a name is personal, and stands in the conversation. */
    agents: t.array(t.string),
    /** How many differences the audit of the transcript found. */
    differences: Count,
  },
  { waitingSince: Time, clientId: t.string, channelType: t.string },
  'ConversationRow',
)

/**
 * Newest first. Query: `state` open or over; `waiting` true; `outcome`; `kind` agent or bot; `agent` and `widget`, ids; `day`
 * 2026-01-31 in the account's time zone; `failed` true; `id`, a chat's or a client's; `cursor`, the `next` of the page before; `limit`,
 * 50 unless given, at most 200.
 */
export const ConversationsAnswer = exactShape(
  { rows: t.array(ConversationRow) },
  { next: t.string },
  'ConversationsAnswer',
)

/**
 * One event of the story: `data` without its personal leaves where the answer is masked. `omitted`: the event has more than 1 MiB, and
 * only its record has the data. `erased`: the chat was erased later, and what was personal is gone.
 */
export const StoryEvent = exactShape(
  { id: t.string, type: t.string, time: Time, ...Place, data: Document },
  { extra: t.string, omitted: t.literal(true), erased: t.literal(true) },
  'StoryEvent',
)

/**
 * The whole story of a chat. `masked`: personal text is empty or left out. Query: `before`, the `earlier` of the answer before: for
 * more events than the newest 500. Deliveries are the newest 500 that were asked for before the newest event of the answer.
 */
export const ConversationAnswer = exactShape(
  {
    chatId: t.string,
    masked: t.boolean,
    /** Changes when anything of it changes. */
    version: t.string,
    sessions: t.array(Document),
    deliveries: t.array(Document),
    /** The oldest first. */
    events: t.array(StoryEvent),
  },
  { unmaskedUntil: Time, chat: Document, conversation: Document, earlier: t.string },
  'ConversationAnswer',
)

/** Until when this session sees the conversation as it is. */
export const UnmaskAnswer = exactShape({ unmaskedUntil: Time }, {}, 'UnmaskAnswer')

/** What a figure of the statistics counts. */
export const Definition = t.strict({ name: t.string, definition: t.string, unit: t.string })

/** Query: `from` and `to`, days; `by` day, agent, widget or bot; `id` for one of them. At most 400 days. */
export const StatisticsAnswer = exactShape(
  { from: t.string, to: t.string, by: t.string, definitions: t.array(Definition), rows: t.array(Document) },
  {},
  'StatisticsAnswer',
)

/** Query: `kind`, `limit`, `cursor`. Where the answer is masked, `path` and `example` are left out, and `_id` is empty. */
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
