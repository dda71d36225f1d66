import * as t from 'io-ts'
import { BsonDate, Count, exactShape, Id } from '../primitives.ts'
import { folded, foldedOptional } from './applied.ts'
import { DatedMessage } from './dated.ts'

const Unanswered = exactShape(
  {
    /** The ce_id of the client's message. */
    id: Id,
    /** When the bridge took it in. */
    at: BsonDate,
  },
  {
    /** Whether the reply to it was given up, or an agent asked for since. */
    status: t.keyof({ 'reply-failed': null, 'agent-asked': null }),
  },
  'Unanswered',
)

/** Who has a conversation; see ConversationDocument. */
export const ConversationState = t.keyof({ bot: null, invited: null, agent: null, unavailable: null, closed: null })
export type ConversationState = t.TypeOf<typeof ConversationState>

/**
 * One conversation with a bot. `state`: who has it: the bot, an agent that was invited (a delivered InviteAgent, or
 * AgentInvited), an agent that has joined, nobody because no agent was there (the bot may still write), or nobody
 * because it is closed; only a client's message after closing gives it to the bot again.
 *
 * `unanswered`: the client messages that neither reply nor agent has answered, oldest first, by ce_id and `time`; of
 * more than 100 the oldest and the newest 99. `awaitingReplyTo` and `awaitingReplySince` are those of the oldest. A
 * delivered reply answers the message of its `inReplyTo` and those before it, and every one where it names none; an
 * agent's joining and closing leave none. `status`: `reply-failed` where the reply to it was given up; `agent-asked`
 * where since then an agent was asked for (or the bridge gave up asking), or none was there. `replyTimesMs` has, for
 * each answered turn, the time from its first client message to its first delivered reply.
 *
 * `silentSince`: since when the client waits for a word of the bot or, failing that, of the bridge (its watchdog); no
 * field where nobody does. `unheard` is the newest AGENT_UNAVAILABLE to which nothing was said yet.
 *
 * `replies…` count commands, the bridge's own and hand-overs included, by what became of them. `outcome`: `bot` has
 * answered alone, an `agent` was asked for or joined (and stays), or nobody answered (`open` until then).
 * `lastMessage.id` is the ce_id of the message's event. The times are those of the newest event of
 * each kind.
 */
export const ConversationDocument = exactShape(
  {
    ...folded,
    chatId: Id,

    /** Who has the conversation. */
    state: ConversationState,

    /** How many messages the client has written. */
    clientMessages: Count,

    /** How many commands the service has taken. */
    repliesDelivered: Count,

    /** How many were given up. */
    repliesFailed: Count,

    /** How many came too late to be sent. */
    repliesSuppressed: Count,

    /** The client's messages that neither reply nor agent has answered, oldest first. */
    unanswered: t.array(Unanswered),

    /** For each answered turn, milliseconds from its first message to the first reply. */
    replyTimesMs: t.array(Count),

    /** Who has answered so far. */
    outcome: t.keyof({ open: null, bot: null, agent: null }),

    /** When the bridge first heard of the conversation. */
    startedAt: BsonDate,

    /** When it last did. */
    lastEventAt: BsonDate,
  },
  {
    ...foldedOptional,
    clientId: Id,

    /** The newest message, the client's or the bot's. */
    lastMessage: exactShape(
      {
        /** The ce_id of its event. */
        id: Id,
        /** Who wrote it. */
        from: t.keyof({ client: null, bot: null }),
        /** What was written. */
        message: DatedMessage,
        /** When the bridge took it in, or the service took it. */
        at: BsonDate,
      },
      {},
      'LastMessage',
    ),

    /** The ce_id of the client's newest message. */
    lastClientMessageId: Id,

    /** When the oldest unanswered message came in. */
    awaitingReplySince: BsonDate,

    /** The ce_id of the oldest unanswered message. */
    awaitingReplyTo: Id,

    /** Since when the client waits for a word. */
    silentSince: BsonDate,

    /** The newest AGENT_UNAVAILABLE to which nothing was said yet. */
    unheard: exactShape(
      {
        /** Its ce_id. */
        id: Id,
        /** When the bridge took it in. */
        at: BsonDate,
      },
      {},
      'Unheard',
    ),

    /** When an agent was last invited. */
    invitedAt: BsonDate,

    /** When an agent last joined. */
    joinedAt: BsonDate,

    /** When no agent was last there. */
    unavailableAt: BsonDate,

    /** When it was last closed. */
    closedAt: BsonDate,
  },
  'ConversationDocument',
)
export type ConversationDocument = t.TypeOf<typeof ConversationDocument>
