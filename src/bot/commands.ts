import { createHash } from 'node:crypto'
import type { BotReply } from '../../contracts/commands/bot-reply.ts'
import type { ConversationEvent } from '../../contracts/events/index.ts'
import type { Id } from '../../contracts/primitives.ts'
import type { Reply } from './replies.ts'

/** The same event and place give the same id, so that an event read twice is answered once. */
const commandId = (event: ConversationEvent, place: number): Id =>
  `bot-${createHash('sha256').update(`${event.type}\n${event.data.accountId}\n${event.data.chatId}\n${event.id}\n${place}`).digest('base64url').slice(0, 27)}` as Id

/** The commands that carry a bot's replies to an event, in their order. An event without a client cannot be answered. */
export const commandsOf = (event: ConversationEvent, replies: ReadonlyArray<Reply>): ReadonlyArray<BotReply> => {
  const { accountId, chatId, clientId } = event.data
  if (clientId === undefined) return []
  return replies.map((reply, place) => {
    const command = { id: commandId(event, place), accountId, chatId, clientId }
    const inReplyTo = event.type === 'ClientMessageReceived' ? { inReplyTo: event.id } : {}
    return reply.kind === 'hand-over'
      ? { type: 'InviteAgent', ...command, ...inReplyTo }
      : { type: 'BotMessage', ...command, ...inReplyTo, message: reply.message }
  })
}
