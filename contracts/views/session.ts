import * as t from 'io-ts'
import { Utm } from '../events/session.ts'
import { Code, Text } from '../personal.ts'
import { BsonDate, Count, exactShape, Id } from '../primitives.ts'
import { folded, foldedOptional } from './applied.ts'
import { TranscriptAudit } from './transcript-audit.ts'

/** How long a bot session lasts without an event: 24 hours, in milliseconds. */
export const silenceMs = 24 * 60 * 60 * 1000

/** How many agents, invitations and response times a session keeps at most: the first ones. */
export const mostOfSession = { agents: 100, invitations: 100, responseTimes: 1_000 }

/** An agent of a session. `part` is what the protocol tells of it; how a chat came to an agent who wrote nothing it does not. */
export const SessionAgent = exactShape(
  {
    /** The agent's id in the account. */
    id: Id,
    /** Whether the agent accepted the chat, wrote in it without having accepted it, or neither was told. */
    part: t.keyof({ accepted: null, wrote: null, unknown: null }),
    /** How many messages of the agent are in the log. */
    messages: Count,
  },
  {
    /** The agent's name. */
    name: Text,
    /** When the agent first accepted the chat. */
    acceptedAt: BsonDate,
    /** The agent's first message, to the second. */
    firstMessageAt: BsonDate,
    /** The agent's last message, to the second. */
    lastMessageAt: BsonDate,
  },
  'SessionAgent',
)

/** An agent was asked for, as far as it is told: `at` is missing where only the answer was. */
export const Invitation = exactShape(
  {
    /** Who asked: the bot, the bridge itself, or the service. */
    by: t.keyof({ bot: null, bridge: null, service: null, unknown: null }),
  },
  {
    /** When the agent was asked for. */
    at: BsonDate,
    /** When an agent joined. */
    joinedAt: BsonDate,
    /** When the service said that no agent was there. */
    unavailableAt: BsonDate,
    /** From the one to the other, in milliseconds, where an agent joined. */
    queueMs: Count,
  },
  'Invitation',
)

/** What has become of a bot session so far; final once it is over. */
export const SessionOutcome = t.keyof(
  {
    contained: null,
    'handed-over': null,
    unavailable: null,
    abandoned: null,
    unanswered: null,
    finished: null,
    open: null,
  },
  'SessionOutcome',
)

/**
 * One session of a chat, never overwritten by the next. Kind `agent`: from acceptance to finish, as `chats` tells it. Kind `bot`:
 * from the client's first message until an agent joins, the chat is closed, or 24 h pass without an event, as
 * `bot-conversations` tells it. `_id` is `<account id>/<chat id>/<kind>/<number>`; numbers count the sessions of a chat and
 * kind from 1.
 *
 * A session is over when `endsAt` is there and has passed: a bot session that falls silent needs no further event for that.
 * `outcome` of a bot session: `contained` where the bot answered and nobody asked for an agent; `handed-over` where an agent
 * joined; `unavailable` where one was asked for and the last answer was that none is there; `abandoned` where one was asked
 * for and no answer was told; `unanswered` where nobody said anything. Of an agent session: `open`, then `finished`.
 *
 * What is neither told nor can be counted is `unknown` or absent, never guessed: who ended a session (but for an agent who
 * joined), the channel of a bot session that the service does not name, an agent's part without acceptance and messages.
 */
export const SessionDocument = exactShape(
  {
    ...folded,
    chatId: Id,

    /** Who had it: an agent, or a bot. */
    kind: t.keyof({ agent: null, bot: null }),

    /** Which session of its chat and kind it is, from 1. */
    number: Count,

    /** Its first event: acceptance, or the client's first message. */
    startedAt: BsonDate,

    /** Its newest event. */
    lastEventAt: BsonDate,

    /** What has become of it so far; final once it is over. */
    outcome: SessionOutcome,

    /** Who ended it, where that is told. */
    endedBy: t.keyof({ agent: null, unknown: null }),

    /** The widget of an agent session, the channel of a bot session. */
    channelId: Id,

    /** How many messages the client wrote: of an agent session those of its log. */
    clientMessages: Count,

    /** How many messages the other side wrote: agents, or the bot (those that the service took). */
    replies: Count,

    /**
     * For each answered turn, milliseconds from the client's first message without an answer to the first answer, of an agent
     * session to the second; the first 1,000 turns.
     */
    responseTimesMs: t.array(Count),

    /** How many turns of the client were answered. */
    turns: Count,

    /** Agents of an agent session, in the order of their first appearance: the first 100. */
    agents: t.array(SessionAgent),

    /** The invitations of a bot session: the first 100. */
    invitations: t.array(Invitation),
  },
  {
    ...foldedOptional,

    /** On the newest session of its chat and kind: `<account id>/<chat id>/<kind>`. */
    latestOf: Code,

    /** When an agent accepted it; absent where that was not told. */
    acceptedAt: BsonDate,

    /** When it ended; while a bot session is open, when it will have ended if nothing more happens. */
    endsAt: BsonDate,

    /** How it ended, where an event tells: finish, an agent who joined, closing, or an event after the silence. */
    ending: t.keyof({ finished: null, 'agent-joined': null, closed: null, silence: null }),

    /** When the service closed the chat, also after an agent had joined. */
    closedAt: BsonDate,

    /** When the session before it began. */
    previousStartedAt: BsonDate,

    /** When the session before it ended. */
    previousEndedAt: BsonDate,

    /** When the next session of this chat and kind began. */
    nextStartedAt: BsonDate,

    /** The first message of the log that the finish told, to the second, also where it is of an earlier session. */
    logStartedAt: BsonDate,

    /** How many messages that log has, those of earlier sessions included. */
    logMessages: Count,

    /** From the client's first message to the first answer, in milliseconds. */
    firstResponseMs: Count,

    /** From acceptance to finish, in milliseconds. */
    handleMs: Count,

    /** The client's verdict, in the service's words; absent where there was none. */
    rate: Code,

    /** What it counts as: good, positive and like are good, bad, negative and dislike are bad. */
    rating: t.keyof({ good: null, bad: null, unknown: null }),

    /** Whether an agent blocked the client. */
    blacklisted: t.boolean,

    /** Of a finished agent session: how the service's transcript compares with what the bridge saw. */
    audit: TranscriptAudit,

    /** What kind of channel it is, where the service tells. */
    channelType: Code,
    clientId: Id,

    /** The visitor's number in the account. */
    visitorNumber: Id,

    /** The address of the page on which the session began. */
    pageUrl: Text,

    /** The utm_ parameters under which the visitor came. */
    utm: Utm,

    /** Since when the client waits for an answer of the bot. */
    awaitingSince: BsonDate,

    /** How many of the bot's replies were given up. */
    repliesFailed: Count,

    /** How many came too late to be sent. */
    repliesSuppressed: Count,

    /** How many times the bridge itself acted: it asked for an agent, or told the client that none is there. */
    interventions: Count,
  },
  'SessionDocument',
)
export type SessionDocument = t.TypeOf<typeof SessionDocument>
export type Invitation = t.TypeOf<typeof Invitation>
export type SessionAgent = t.TypeOf<typeof SessionAgent>
