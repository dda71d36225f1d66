import { createHash } from 'node:crypto'
import type { BotReply } from '../../contracts/commands/bot-reply.ts'
import type { ConversationEvent } from '../../contracts/events/index.ts'
import type { Id } from '../../contracts/primitives.ts'
import type { Reply } from './replies.ts'

/**
 * The same event, place and group give the same id. So an event that is read twice gets one reply. Bots of two groups
 * have different ids, so each of them replies.
 */
const commandId = (event: ConversationEvent, place: number, group: string): Id =>
  `bot-${createHash('sha256').update(`${group}\n${event.type}\n${event.data.accountId}\n${event.data.chatId}\n${event.id}\n${place}`).digest('base64url').slice(0, 27)}` as Id

/** The commands with a group's replies to an event, in their order. An event without a client cannot get a reply. */
export const commandsOf = (
  event: ConversationEvent,
  replies: ReadonlyArray<Reply>,
  group: string,
): ReadonlyArray<BotReply> => {
  const { accountId, chatId, clientId } = event.data
  if (clientId === undefined) return []
  return replies.map((reply, place) => {
    const command = { id: commandId(event, place, group), accountId, chatId, clientId }
    const inReplyTo = event.type === 'ClientMessageReceived' ? { inReplyTo: event.id } : {}
    return reply.kind === 'hand-over'
      ? { type: 'InviteAgent', ...command, ...inReplyTo }
      : { type: 'BotMessage', ...command, ...inReplyTo, message: reply.message }
  })
}
