import { AssertionError, deepStrictEqual } from 'node:assert'
import * as E from 'fp-ts/lib/Either.js'
import { ConversationEvent } from '../../contracts/events/index.ts'
import { describe, problemsOf } from '../../contracts/problem.ts'
import { answer, defaultLimits, type NoAnswer } from './conversation.ts'
import type { Handlers } from './handlers.ts'
import type { Reply } from './replies.ts'

type Type = ConversationEvent['type']
type EventOf<T extends Type> = Extract<ConversationEvent, { readonly type: T }>
type Fields = Readonly<Record<string, unknown>>

const time = '2026-01-31T12:00:00.000Z'
const outcome = { commandId: 'r1', commandType: 'BotMessage', attempts: [], requestedAt: time }

const usual: Readonly<Record<Type, Fields>> = {
  ClientMessageReceived: { message: { type: 'TEXT', text: 'Hello', timestamp: time } },
  AgentInvited: { invitedBy: 'service' },
  AgentJoined: {},
  AgentUnavailable: {},
  ChatClosed: {},
  BotReplyDelivered: outcome,
  BotReplyFailed: { ...outcome, reason: 'rejected' },
  BotReplySuppressed: { ...outcome, reason: 'agent-joined' },
}

/**
 * Any event of bot-conversations. `data` and `attributes` (`id`, `time`, …) replace the usual values. Throws a
 * TypeError if the event breaks the contract:
 * `conversationEvent('AgentInvited', { invitedBy: 'bridge', reason: 'no-reply-in-time' })`.
 */
export const conversationEvent = <T extends Type>(type: T, data: Fields = {}, attributes: Fields = {}): EventOf<T> => {
  const all: Fields = { accountId: 'acme', chatId: '2037', clientId: '1233', ...usual[type], ...data }
  const source = `/accounts/${all.accountId}/${type.startsWith('BotReply') ? 'egress' : 'bot'}`
  const event = ConversationEvent.decode({
    id: 'e1',
    source,
    subject: all.chatId,
    time,
    ...attributes,
    type,
    data: all,
  })
  if (E.isLeft(event)) throw new TypeError(`${type}: ${describe(problemsOf(event.left))}`)
  return event.right as EventOf<T>
}

/** A client's text message, as a bot gets it. `button` is the id of the button that the client clicked. */
export const clientWrites = (text: string, button?: string) =>
  conversationEvent('ClientMessageReceived', {
    message: { type: 'TEXT', text, timestamp: time, ...(button !== undefined && { buttonId: button }) },
  })

export const agentInvited = () => conversationEvent('AgentInvited')
export const agentJoined = () => conversationEvent('AgentJoined')
export const agentUnavailable = () => conversationEvent('AgentUnavailable')
export const chatClosed = () => conversationEvent('ChatClosed')

const thrown = (type: Type, why: NoAnswer): unknown => {
  if (why.reason === 'threw') return why.err
  const message =
    why.reason === 'too slow'
      ? `the handler of ${type} took longer than replyWithin, ${why.replyWithin} ms`
      : `the bridge would not send the answer to ${type}: ${why.mistakes.join('; ')}`
  return new AssertionError({ message })
}

/**
 * Tests a bot in memory, without servers:
 * `await given(bot).when(clientWrites('Hello')).says(text('You said Hello'))`.
 * The bot first receives the earlier events that are given to `given`. The test fails if the bridge would refuse or
 * suppress a reply, or if a handler takes longer than `replyWithin` (ms).
 */
export const given = (bot: Handlers, ...past: ReadonlyArray<ConversationEvent>) => {
  const within = (replyWithin: number) => {
    const hear = async (event: ConversationEvent): Promise<ReadonlyArray<Reply>> => {
      const answered = await answer(bot, event, replyWithin)
      if (E.isLeft(answered)) throw thrown(event.type, answered.left)
      return answered.right
    }
    return {
      when: (event: ConversationEvent) => ({
        says: async (...expected: ReadonlyArray<Reply>): Promise<void> => {
          for (const earlier of past) await hear(earlier)
          deepStrictEqual(await hear(event), expected)
        },
      }),
    }
  }
  return { ...within(defaultLimits.replyWithin), replyWithin: within }
}
