import { createHash } from 'node:crypto'
import type { BotReply } from '../../../contracts/commands/bot-reply.ts'
import { Id } from '../../../contracts/primitives.ts'
import type { Conversation } from '../../domain/conversation.ts'
import type { BotOwner } from '../check-command.ts'
import type { ConversationNow } from '../conversation/conversation-now.ts'
import { type SuppressedReason, takenBy } from '../conversation/fence.ts'
import type { Chore } from './chores.ts'

/** The same for a chore each time, whoever does it: `watchdog-9661ab9c`, hashed where that would be no Id. */
const ownId = (about: Id): Id => {
  const plain = `watchdog-${about}`
  return Id.is(plain) ? plain : (`watchdog-${createHash('sha256').update(about).digest('hex')}` as Id)
}

export type Chat = { readonly account: BotOwner; readonly chatId: Id; readonly clientId: Id }

/** The command that does a chore. */
export const ownCommand = ({ account, chatId, clientId }: Chat, { kind, about }: Chore): BotReply => {
  const addressed = { id: ownId(about), accountId: account.id, chatId, clientId, inReplyTo: about }
  return kind === 'invite-agent'
    ? { type: 'InviteAgent', ...addressed }
    : { type: 'BotMessage', ...addressed, message: { type: 'TEXT', text: account.bot.agentUnavailableText ?? '' } }
}

const isOpen = (conversation: Conversation, { kind, about }: Chore): boolean =>
  kind === 'invite-agent'
    ? conversation.unanswered.some(({ id, status }) => id === about && status !== 'agent-asked')
    : conversation.unheard?.id === about

/**
 * Whether a chore is still to be done: not once an agent has the conversation, or somebody has answered. While the views
 * cannot be read, nobody is known to have: an invitation too many is better than a client in silence.
 */
export const isStillOpen =
  (chore: Chore) =>
  ({ conversation, isWhole }: ConversationNow): 'send' | SuppressedReason =>
    takenBy(conversation) ?? (!isWhole || isOpen(conversation, chore) ? 'send' : 'answered')
