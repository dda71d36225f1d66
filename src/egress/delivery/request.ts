import type * as t from 'io-ts'
import type { BotRequest, OutboundMessage } from '../../../contracts/bot-api/outbound.ts'
import type { BotReply } from '../../../contracts/commands/bot-reply.ts'
import type { Message } from '../../../contracts/events/message.ts'
import type { Instant } from '../../../contracts/primitives.ts'
import type { BotAccount } from '../../domain/accounts.ts'
import { completeMessage } from '../../domain/complete-message.ts'
import type { HttpRequest } from './post.ts'

const toWire = (message: Message): OutboundMessage => {
  const timestamp = Math.floor(Date.parse(message.timestamp) / 1000) as t.Int
  switch (message.type) {
    case 'TEXT':
      return { type: 'TEXT', text: message.text, timestamp }
    case 'MARKDOWN':
      return { type: 'MARKDOWN', content: message.content, text: message.text, timestamp }
    case 'BUTTONS': {
      const { type, title, text, buttons, forceReply } = message
      return { type, title, text, buttons, timestamp, ...(forceReply !== undefined && { force_reply: forceReply }) }
    }
  }
}

/** The event of Interface B that a command asks for, under the command's id (protocol, Resources, Interface B). */
export const botRequest = (command: BotReply, requestedAt: Instant): BotRequest => {
  const exchange = { id: command.id, client_id: command.clientId, chat_id: command.chatId }
  return command.type === 'InviteAgent'
    ? { event: 'INVITE_AGENT', ...exchange }
    : { event: 'BOT_MESSAGE', ...exchange, message: toWire(completeMessage(command.message, requestedAt)) }
}

const withoutSlashes = (url: string): string => (url.endsWith('/') ? withoutSlashes(url.slice(0, -1)) : url)

const segment = (text: string) => encodeURIComponent(text.toWellFormed())

/**
 * The POST for a command (protocol, Endpoints): to `/webhooks/…`, or with an access token to `/providers/…` with the token
 * as it is in `Authorization`.
 */
export const createRequest = (
  { baseUrl, providerId, token }: BotAccount,
  body: BotRequest,
  accessToken: string | undefined,
): HttpRequest => ({
  url: [
    withoutSlashes(baseUrl),
    accessToken === undefined ? 'webhooks' : 'providers',
    segment(providerId),
    segment(token),
  ].join('/'),
  headers: {
    'content-type': 'application/json',
    ...(accessToken !== undefined && { authorization: accessToken }),
  },
  body: JSON.stringify(body),
})
