import type { BotReply } from '../../../contracts/commands/bot-reply.ts'
import type { BotReplySuppressed } from '../../../contracts/events/index.ts'
import type { Conversation } from '../../domain/conversation.ts'

export type SuppressedReason = BotReplySuppressed['data']['reason']
/** What to do with a reply to a message that is no longer the client's newest. */
export type WhenOvertaken = 'send' | 'suppress'

/** Who has the conversation instead of the bot, as a reason to be silent. */
export const takenBy = ({ state }: Pick<Conversation, 'state'>): SuppressedReason | undefined => {
  switch (state) {
    case 'agent':
      return 'agent-joined'
    case 'invited':
      return 'agent-invited'
    case 'closed':
      return 'chat-closed'
    case 'bot':
    case 'unavailable':
      return undefined
  }
}

/**
 * Whether a bot's command may be sent now, or why it comes too late. It is asked before each attempt, of a fold of the log up
 * to where it ended when the command was taken (`readBarrier`): an event that was answered 200 before the command was
 * published counts, unless the barrier was waited for in vain. One that is answered between this decision and the service's own comes too late: so long as a
 * request takes, some milliseconds (test/integration/fencing-race.test.ts).
 */
export const decide = (
  conversation: Pick<Conversation, 'state' | 'lastClientMessageId'>,
  { type, inReplyTo }: Pick<BotReply, 'type' | 'inReplyTo'>,
  whenOvertaken: WhenOvertaken = 'send',
): 'send' | SuppressedReason => {
  const taken = takenBy(conversation)
  if (taken !== undefined) return taken
  const { lastClientMessageId } = conversation
  const isOvertaken = inReplyTo && lastClientMessageId !== undefined && inReplyTo !== lastClientMessageId
  return type === 'BotMessage' && isOvertaken && whenOvertaken === 'suppress' ? 'overtaken' : 'send'
}
