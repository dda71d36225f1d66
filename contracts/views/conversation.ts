import * as t from 'io-ts'
import { Message } from '../events/message.ts'
import { Count, exactShape, Id, Instant } from '../primitives.ts'
import { folded, seen } from './applied.ts'

export const ConversationState = t.keyof({ bot: null, invited: null, agent: null, unavailable: null, closed: null })
export type ConversationState = t.TypeOf<typeof ConversationState>

/**
 * One conversation with a bot. `state`: who has it: the bot, an agent that was invited (a delivered InviteAgent, or
 * AgentInvited), an agent that has joined, nobody because no agent was there (the bot may still write), or nobody because
 * it is closed; a client's message after closing gives it to the bot again. `awaitingReplySince` is the `time` of the oldest client message
 * that neither reply nor agent has answered, `awaitingReplyTo` its ce_id. `replyTimesMs` has, for each answered turn, the
 * time from its first client message to its first delivered reply. `outcome`: `bot` answered alone, an `agent` was asked
 * for or joined, or nobody answered (`open` until then).
 */
export const ConversationDocument = exactShape(
  {
    ...folded,
    ...seen,
    chatId: Id,
    state: ConversationState,
    clientMessages: Count,
    repliesDelivered: Count,
    repliesFailed: Count,
    repliesSuppressed: Count,
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
    invitedAt: Instant,
    joinedAt: Instant,
    unavailableAt: Instant,
    closedAt: Instant,
  },
  'ConversationDocument',
)
export type ConversationDocument = t.TypeOf<typeof ConversationDocument>
