import * as t from 'io-ts'
import { BsonDate, Count, exactShape, Id } from '../primitives.ts'
import { folded, foldedOptional } from './applied.ts'
import type { ViewContract } from './contract.ts'
import { DatedMessage } from './dated.ts'

const Unanswered = exactShape(
  {
    /** The ce_id of the client's message. */
    id: Id,
    /** When the bridge received it. */
    at: BsonDate,
  },
  {
    /** Whether the reply to it was given up, or an agent was requested since. */
    status: t.keyof({ 'reply-failed': null, 'agent-asked': null }),
    /** When the bot first announced that the answer follows (`expectsMore`). */
    moreSince: BsonDate,
  },
  'Unanswered',
)

/** Who has a conversation; see ConversationDocument. */
export const ConversationState = t.keyof({ bot: null, invited: null, agent: null, unavailable: null, closed: null })
export type ConversationState = t.TypeOf<typeof ConversationState>

/** The maximum number of `replyTimesMs`. */
export const maxReplyTimes = 1_000

/**
 * One conversation with a bot. `state` is who has it: the bot; an agent who was invited (a delivered InviteAgent, or
 * AgentInvited); an agent who has joined; nobody, because no agent was available (the bot may still write); or nobody,
 * because it is closed. After closing, and after a day without an event while an agent was invited or had joined, the
 * client's next message gives it to the bot again.
 *
 * `unanswered` has the client messages that neither a reply nor an agent has answered, oldest first, by ce_id and
 * `time`. Of more than 100 it has the oldest and the newest 99. `awaitingReplyTo` and `awaitingReplySince` are those of
 * the oldest. A delivered reply answers the message of its `inReplyTo` and those before it. Without `inReplyTo` it
 * answers all of them. A reply with `expectsMore` answers none. If an agent joins or the chat is closed, none is left.
 * `status` is `reply-failed` if the reply to the message was given up. It is `agent-asked` if, since then, an agent was
 * requested, the bridge gave up requesting one, or none was available. `replyTimesMs` has, for each of the first 1,000
 * answered turns, the time from its first client message to its first delivered reply.
 *
 * `silentSince` is since when the client waits for the bot or, failing that, for the bridge (its watchdog). It is
 * absent while no client waits. `unheard` is the newest AGENT_UNAVAILABLE after which neither the bot nor the bridge
 * has written yet; its `status` is as that of a message. With `handOverFailed` the client waits for an agent, whatever the bot has written.
 *
 * `replies…` count commands by their outcome, including hand-overs and the bridge's own commands. `outcome` is `bot` if
 * only the bot has answered, `agent-requested` once an agent was requested or has joined (it stays, also if nobody
 * came), and `open` until then.
 * `lastMessage.id` is the ce_id of the message's event. `startedAt` is the time of the first event. The other times are
 * those of the newest event of each kind.
 */
export const ConversationDocument = exactShape(
  {
    ...folded,
    chatId: Id,

    /** Who has the conversation. */
    state: ConversationState,

    /** How many messages the client has written. */
    clientMessages: Count,

    /** How many commands the service accepted. */
    repliesDelivered: Count,

    /** How many commands were given up. */
    repliesFailed: Count,

    /** How many commands came too late to be sent. */
    repliesSuppressed: Count,

    /** The client's messages that neither a reply nor an agent has answered, oldest first. */
    unanswered: t.array(Unanswered),

    /**
     * For each of the first 1,000 answered turns, the time from its first message to the first reply, in milliseconds.
     */
    replyTimesMs: t.array(Count),

    /** Who has answered so far. */
    outcome: t.keyof({ open: null, bot: null, 'agent-requested': null }),

    /** The time of the first event. */
    startedAt: BsonDate,

    /** The time of the newest event. */
    lastEventAt: BsonDate,
  },
  {
    ...foldedOptional,
    clientId: Id,

    /** The newest message, from the client or the bot. */
    lastMessage: exactShape(
      {
        /** The ce_id of its event. */
        id: Id,
        /** Who wrote it. */
        from: t.keyof({ client: null, bot: null }),
        /** What was written. */
        message: DatedMessage,
        /** When the bridge received the message, or when the service accepted it. */
        at: BsonDate,
      },
      {},
      'LastMessage',
    ),

    /** The ce_id of the client's newest message. */
    lastClientMessageId: Id,

    /** When the bridge received the oldest unanswered message. */
    awaitingReplySince: BsonDate,

    /** The ce_id of the oldest unanswered message. */
    awaitingReplyTo: Id,

    /** Since when the client waits for the bot or the bridge. */
    silentSince: BsonDate,

    /** The newest AGENT_UNAVAILABLE after which neither the bot nor the bridge has written yet. */
    unheard: exactShape(
      {
        /** The ce_id of its event. */
        id: Id,
        /** When the bridge received it. */
        at: BsonDate,
      },
      {
        /** Whether the bot's answer to it was given up, or an agent was requested once more since. */
        status: t.keyof({ 'reply-failed': null, 'agent-asked': null }),
        /** When the bot first announced that its message about it follows (`expectsMore`). */
        moreSince: BsonDate,
      },
      'Unheard',
    ),

    /** The bot asked for an agent, that was not delivered, and no agent was invited since. */
    handOverFailed: exactShape(
      {
        /** The ce_id of its BotReplyFailed. */
        id: Id,
        /** When it failed. */
        at: BsonDate,
      },
      {},
      'HandOverFailed',
    ),

    /** While an agent has joined: the ce_ids of the client's messages since then, of which the newest 100. */
    messagesSinceJoined: t.array(Id),

    /**
     * While an agent has joined or is invited: when that ends if no further event comes. A day after the newest one.
     * What comes after that, such as the outcome of an old reply, does not change it.
     */
    heldUntil: BsonDate,

    /** When an agent was last invited. */
    invitedAt: BsonDate,

    /** When an agent last joined. */
    joinedAt: BsonDate,

    /** When the service last reported that no agent is available. */
    unavailableAt: BsonDate,

    /** When the conversation was last closed. */
    closedAt: BsonDate,
  },
  'ConversationDocument',
)
export type ConversationDocument = t.TypeOf<typeof ConversationDocument>

export const conversations = {
  name: 'conversations',
  version: 6,
  document: ConversationDocument,
} as const satisfies ViewContract
