import { deepStrictEqual } from 'node:assert'
import type {
  AgentUnavailable,
  ChatClosed,
  ClientMessageReceived,
  ConversationEvent,
} from '../../contracts/events/index.ts'
import type { AccountId, Id, Instant, NonBlank } from '../../contracts/primitives.ts'
import { ask, type Handlers } from './handlers.ts'
import type { Reply } from './replies.ts'

const time = '2026-01-31T12:00:00.000Z' as Instant
const chat = { accountId: 'acme' as AccountId, chatId: '2037' as Id, clientId: '1233' as Id }
const envelope = { id: 'e1' as Id, source: '/accounts/acme/bot' as NonBlank, subject: chat.chatId, time }

/** A client's text, as a bot gets it; `button` is the id of the button that was clicked. */
export const clientWrites = (text: string, button?: string): ClientMessageReceived => ({
  type: 'ClientMessageReceived',
  ...envelope,
  data: {
    ...chat,
    message: { type: 'TEXT', text, timestamp: time, ...(button !== undefined && { buttonId: button as Id }) },
  },
})

export const agentUnavailable = (): AgentUnavailable => ({ type: 'AgentUnavailable', ...envelope, data: chat })

export const chatClosed = (): ChatClosed => ({ type: 'ChatClosed', ...envelope, data: chat })

/**
 * Tests a bot in memory, without servers:
 * `await given(bot).when(clientWrites('Hello')).says(text('You said Hello'))`.
 * `given` takes what has happened before, which the bot hears of first.
 */
export const given = (bot: Handlers, ...past: ReadonlyArray<ConversationEvent>) => ({
  when: (event: ConversationEvent) => ({
    says: async (...expected: ReadonlyArray<Reply>): Promise<void> => {
      for (const earlier of past) await ask(bot, earlier)
      deepStrictEqual(await ask(bot, event), expected)
    },
  }),
})
