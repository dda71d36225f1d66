import type { BotReply } from '../../../contracts/commands/bot-reply.ts'
import type { BotReplySuppressed } from '../../../contracts/events/index.ts'
import type { Conversation } from '../../domain/conversation.ts'

export type SuppressedReason = BotReplySuppressed['data']['reason']
/** What to do with a reply to a message that is no longer the client's newest. */
export type WhenOvertaken = 'send' | 'suppress'

/** Who has the conversation instead of the bot, as a reason to suppress a reply. */
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
 * Whether a bot's command may be sent now, or why it comes too late. Each attempt asks this. The conversation is folded
 * up to the end that the log had when the command was taken (`readBarrier`). So every event counts that was answered
 * 200 before the command was published, unless the barrier timed out. An event that is answered during the request
 * comes too late. A request takes some milliseconds (test/integration/fencing-race.test.ts).
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
