import * as t from 'io-ts'
import { Message } from '../events/message.ts'
import { Count, exactShape, Id, Instant } from '../primitives.ts'
import { folded } from './applied.ts'

const Unanswered = exactShape(
  { id: Id, at: Instant },
  { status: t.keyof({ 'reply-failed': null, 'agent-asked': null }) },
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
 * `lastMessage.id` is the ce_id under which the message stands in timeline. The times are those of the newest event of
 * each kind.
 */
export const ConversationDocument = exactShape(
  {
    ...folded,
    chatId: Id,
    state: ConversationState,
    clientMessages: Count,
    repliesDelivered: Count,
    repliesFailed: Count,
    repliesSuppressed: Count,
    unanswered: t.array(Unanswered),
    replyTimesMs: t.array(Count),
    outcome: t.keyof({ open: null, bot: null, agent: null }),
    startedAt: Instant,
    lastEventAt: Instant,
  },
  {
    clientId: Id,
    lastMessage: exactShape(
      { id: Id, from: t.keyof({ client: null, bot: null }), message: Message, at: Instant },
      {},
      'LastMessage',
    ),
    lastClientMessageId: Id,
    awaitingReplySince: Instant,
    awaitingReplyTo: Id,
    silentSince: Instant,
    unheard: exactShape({ id: Id, at: Instant }, {}, 'Unheard'),
    invitedAt: Instant,
    joinedAt: Instant,
    unavailableAt: Instant,
    closedAt: Instant,
  },
  'ConversationDocument',
)
export type ConversationDocument = t.TypeOf<typeof ConversationDocument>
