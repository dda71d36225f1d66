import * as t from 'io-ts'
import { Utm } from '../events/session.ts'
import { Code, Text } from '../personal.ts'
import { BsonDate, Count, exactShape, Id } from '../primitives.ts'
import { folded, foldedOptional } from './applied.ts'
import type { ViewContract } from './contract.ts'
import { TranscriptAudit } from './transcript-audit.ts'

/** A bot session ends after this time without an event: 24 hours, in milliseconds. */
export const silenceMs = 24 * 60 * 60 * 1000

/** The maximum number of agents, invitations and response times that a session keeps: the first ones. */
export const maxOfSession = { agents: 100, invitations: 100, responseTimes: 1_000 }

/**
 * An agent of a session. The protocol does not report how a chat came to an agent who neither accepted it nor wrote.
 */
export const SessionAgent = exactShape(
  {
    /** The agent's id in the account. */
    id: Id,
    /** Whether the agent accepted the chat, or wrote in it without accepting it. `unknown` if neither was reported. */
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

/** A request for an agent. `at` is absent if only the answer to the request is known. */
export const Invitation = exactShape(
  {
    /** Who requested the agent: the bot, the bridge itself, or the service. `unknown` if only the answer is known. */
    by: t.keyof({ bot: null, bridge: null, service: null, unknown: null }),
  },
  {
    /** When the agent was requested. */
    at: BsonDate,
    /** When an agent joined. */
    joinedAt: BsonDate,
    /** When the service reported that no agent was available. */
    unavailableAt: BsonDate,
    /** The time from `at` to `joinedAt`, in milliseconds. Absent if one of them is. */
    queueMs: Count,
  },
  'Invitation',
)

/** The outcome of a session so far. After the end, only the outcome of a pending command can change it. */
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
 * One session of a chat. The next session never overwrites it. Kind `agent`: from acceptance to finish, by the topic
 * `chats`. Kind `bot`: from the client's first message until an agent joins, the chat is closed, or 24 h pass without
 * an event, by the topic `bot-conversations`. `_id` is `<account id>/<chat id>/<kind>/<number>`. Numbers count the
 * sessions of a chat and kind from 1.
 *
 * A session has ended if `endsAt` is present and has passed. A bot session that falls silent needs no further event for
 * that. The `outcome` of a bot session: `contained` if the bot answered and nobody asked for an agent; `handed-over` if
 * an agent joined; `unavailable` if one was requested and the last answer was that none is available; `abandoned` if
 * one was requested and no answer came; `unanswered` if the bot did not answer. Of an agent session: `open`, then
 * `finished`.
 *
 * If a chat that was never accepted before is accepted up to 15 s after its end, the end has overtaken the acceptance:
 * it belongs to the session that has ended. `acceptedAt` is then at most `endsAt`, and `waitMs` and `handleMs` are
 * absent. Every other acceptance after an end begins the next session.
 *
 * What is neither reported nor countable is `unknown` or absent, never guessed: who ended a session (except an agent
 * who joined), the channel of a bot session if the service does not name it, the part of an agent without acceptance
 * and messages.
 */
export const SessionDocument = exactShape(
  {
    ...folded,
    chatId: Id,

    /** Who had the session: an agent or a bot. */
    kind: t.keyof({ agent: null, bot: null }),

    /** The number of the session among those of its chat and kind, from 1. */
    number: Count,

    /** The time of its first event: acceptance, or the client's first message. */
    startedAt: BsonDate,

    /** The time of its newest event. */
    lastEventAt: BsonDate,

    /** The outcome so far. After the end, only the outcome of a pending command can change it. */
    outcome: SessionOutcome,

    /** Who ended the session, if known. */
    endedBy: t.keyof({ agent: null, unknown: null }),

    /** The widget of an agent session, or the channel of a bot session. */
    channelId: Id,

    /** How many messages the client wrote. For an agent session, those of its log. */
    clientMessages: Count,

    /** How many messages the agents or the bot wrote. For the bot, those that the service accepted. */
    replies: Count,

    /**
     * For each answered turn, the time from the client's first unanswered message to the first answer, in milliseconds.
     * Times of an agent session are exact to a second. It has the first 1,000 turns.
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

    /** Only in the newest session of its chat and kind: `<account id>/<chat id>/<kind>`. */
    latestOf: Code,

    /** When an agent accepted the chat; at most the time of an end that overtook it. Absent if that was not reported. */
    acceptedAt: BsonDate,

    /** When the session ended. For an open bot session, when it will end if nothing more happens. */
    endsAt: BsonDate,

    /**
     * How the session ended, if an event shows it: finish, an agent who joined, closing, or an event after the silence.
     */
    ending: t.keyof({ finished: null, 'agent-joined': null, closed: null, silence: null }),

    /** When the service closed the chat, even after an agent had joined. */
    closedAt: BsonDate,

    /** When an agent last accepted an earlier session of the chat. */
    previousAcceptedAt: BsonDate,

    /** When the session before it began. */
    previousStartedAt: BsonDate,

    /** When the session before it ended. */
    previousEndedAt: BsonDate,

    /** When the next session of this chat and kind began. */
    nextStartedAt: BsonDate,

    /** The time of the first message in the log of ChatFinished, to the second, also if it is of an earlier session. */
    logStartedAt: BsonDate,

    /** How many messages that log has, including those of earlier sessions. */
    logMessages: Count,

    /**
     * The time from the client's first message to the first answer, in milliseconds. For the bot, a message that only
     * announces the answer (`expectsMore`) counts too.
     */
    firstResponseMs: Count,

    /**
     * For an agent session, the time from the client's first message until an agent accepted the chat, in milliseconds,
     * exact to a second. Absent if the client wrote only afterwards, or if one of the times is not known.
     */
    waitMs: Count,

    /** The time from acceptance to finish, in milliseconds. */
    handleMs: Count,

    /** The client's rating, in the service's words. Absent if there was none. */
    rate: Code,

    /** What the rating counts as: good, positive and like are good; bad, negative and dislike are bad. */
    rating: t.keyof({ good: null, bad: null, unknown: null }),

    /** Whether an agent blocked the client. */
    blacklisted: t.boolean,

    /** For a finished agent session: how the service's transcript compares with what the bridge saw. */
    audit: TranscriptAudit,

    /** The type of the channel, if the service names it. */
    channelType: Code,
    clientId: Id,

    /** The visitor's number in the account. */
    visitorNumber: Id,

    /** The address of the page on which the session began. */
    pageUrl: Text,

    /** The utm_ parameters with which the visitor arrived. */
    utm: Utm,

    /** Since when the client waits for an answer from the bot. */
    awaitingSince: BsonDate,

    /** How many of `replies` only announced an answer (`expectsMore`). */
    repliesExpectingMore: Count,

    /** How many of the bot's replies were given up. */
    repliesFailed: Count,

    /** How many of the bot's replies came too late to be sent. */
    repliesSuppressed: Count,

    /** How many times the bridge itself acted: it requested an agent, or informed the client that none is available. */
    interventions: Count,
  },
  'SessionDocument',
)
export type SessionDocument = t.TypeOf<typeof SessionDocument>

export const sessions = { name: 'sessions', version: 5, document: SessionDocument } as const satisfies ViewContract
export type Invitation = t.TypeOf<typeof Invitation>
export type SessionAgent = t.TypeOf<typeof SessionAgent>
