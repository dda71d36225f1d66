import * as E from 'fp-ts/lib/Either.js'
import type { BotReply } from '../../../../contracts/commands/bot-reply.ts'
import { DomainEvent } from '../../../../contracts/events/index.ts'
import type { AccountId, Id } from '../../../../contracts/primitives.ts'
import type { Account, BotAccount } from '../../../../src/bridge/domain/accounts.ts'
import type { HttpResult } from '../../../../src/bridge/egress/delivery/post.ts'

export const id = (text: string) => text as Id
export const accountId = 'acme' as AccountId

export const account = (bot: Partial<BotAccount> = {}): Account & { readonly bot: BotAccount } => ({
  id: accountId,
  requestsPerSecond: 20_000,
  timeZone: 'UTC',
  bot: {
    token: 'bot-token-0123456789',
    providerId: 'prov1',
    baseUrl: 'https://bot.example.com',
    replyWithin: 10_000,
    attempts: 8,
    timeouts: 8,
    deadlineMs: 300_000,
    ...bot,
  },
})

type Addressed = { readonly chatId?: string; readonly inReplyTo?: string; readonly group?: string }

export const botMessage = (commandId: string, { chatId = '2037', inReplyTo, group }: Addressed = {}): BotReply => ({
  type: 'BotMessage',
  id: id(commandId),
  accountId,
  chatId: id(chatId),
  clientId: id('1233'),
  ...(inReplyTo && { inReplyTo: id(inReplyTo) }),
  ...(group && { group: id(group) }),
  message: { type: 'TEXT', text: `text of ${commandId}` },
})

export const inviteAgent = (commandId: string, chatId = '2037'): BotReply => ({
  type: 'InviteAgent',
  id: id(commandId),
  accountId,
  chatId: id(chatId),
  clientId: id('1233'),
})

type ServiceEventType = 'ClientMessageReceived' | 'AgentInvited' | 'AgentJoined' | 'AgentUnavailable' | 'ChatClosed'

/** An event of a conversation, with the data that the service sent. */
export const serviceEvent = (
  type: ServiceEventType,
  eventId: string,
  time = '2026-01-31T12:00:00.000Z',
  chatId = '2037',
): DomainEvent => {
  const data = {
    accountId,
    chatId,
    clientId: '1233',
    ...(type === 'AgentInvited' && { invitedBy: 'service' }),
    ...(type === 'ClientMessageReceived' && { message: { type: 'TEXT', text: 'Hello', timestamp: time } }),
  }
  const event = DomainEvent.decode({ type, id: eventId, source: '/accounts/acme/bot', subject: chatId, time, data })
  if (E.isLeft(event)) throw new Error(`no event: ${type}`)
  return event.right
}

export const answer = (status: number, body = '{}', retryAfter?: string): HttpResult =>
  E.right({ status, headers: retryAfter === undefined ? {} : { retryAfter }, body })
export const ok = answer(200, '{"result":"ok"}')
export const networkFailure = (code: string): HttpResult => E.left({ code })

export { unmeasured as noMeasure } from '../../../../src/bridge/domain/metrics.ts'
export { silent as silentLog } from '../../../support/silent-log.ts'
