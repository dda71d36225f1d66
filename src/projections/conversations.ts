import type { ConversationEvent } from '../../contracts/events/index.ts'
import type { ConversationDocument } from '../../contracts/views/conversation.ts'
import type { Recorded } from '../domain/ports.ts'
import { type Guard, once } from './applied.ts'
import { invited, joined, leftWithout, withoutUnheard, withSilence, withUnanswered } from './conversation-states.ts'
import { clientWrote, delivered, failed } from './conversation-turns.ts'
import { documentId, present } from './fields.ts'

const base = (
  current: ConversationDocument | undefined,
  event: ConversationEvent,
  guard: Guard,
): ConversationDocument => ({
  state: 'bot',
  clientMessages: 0,
  repliesDelivered: 0,
  repliesFailed: 0,
  repliesSuppressed: 0,
  unanswered: [],
  replyTimesMs: [],
  outcome: 'open',
  startedAt: event.time,
  ...current,
  ...guard,
  _id: documentId(event),
  accountId: event.data.accountId,
  chatId: event.data.chatId,
  ...present(event.data, 'clientId'),
  lastEventAt: event.time,
})

const fold = (conversation: ConversationDocument, event: ConversationEvent): ConversationDocument => {
  switch (event.type) {
    case 'ClientMessageReceived':
      return clientWrote(conversation, event)
    case 'AgentInvited':
      return invited(conversation, event.time)
    case 'AgentJoined':
      return joined(conversation, event.time)
    case 'AgentUnavailable':
      return leftWithout(conversation, event)
    case 'ChatClosed':
      return { ...withUnanswered(withoutUnheard(conversation), []), state: 'closed', closedAt: event.time }
    case 'BotReplyDelivered':
      return delivered(conversation, event)
    case 'BotReplyFailed':
      return failed(conversation, event)
    case 'BotReplySuppressed':
      return { ...conversation, repliesSuppressed: conversation.repliesSuppressed + 1 }
  }
}

/** One conversation from its events; guarded as contracts/views/applied.ts says, so that nothing counts twice. */
export const evolveConversation = (
  current: ConversationDocument | undefined,
  recorded: Recorded<ConversationEvent>,
): ConversationDocument =>
  once(current, recorded, (guard) => withSilence(fold(base(current, recorded.event, guard), recorded.event)))
