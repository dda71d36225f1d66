import { AssertionError, deepStrictEqual } from 'node:assert'
import * as E from 'fp-ts/lib/Either.js'
import type { BotReply } from '../../contracts/commands/bot-reply.ts'
import { type ClientMessageReceived, ConversationEvent } from '../../contracts/events/index.ts'
import { describe, problemsOf } from '../../contracts/problem.ts'
import { type Conversation, decide, unknownConversation, withFacts } from '../domain/conversation.ts'
import { type Fact, factOf } from '../domain/conversation-facts.ts'
import { dated } from '../domain/dated.ts'
import { announcementOf, commandsOf } from './commands.ts'
import { answer, defaultLimits } from './conversation.ts'
import { ask, type Handlers, type NoAnswer, repliesIn } from './handlers.ts'
import { mistakesIn } from './mistakes.ts'
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

/** The chats of a test, as the bridge sees them. */
const bridge = () => {
  const chats = new Map<string, Conversation>()
  const known = new Set<string>()
  const note = (chat: string, fact: Fact | undefined) => {
    if (fact !== undefined) chats.set(chat, withFacts(chats.get(chat) ?? unknownConversation, [fact]))
  }
  return {
    /** The event with an id that no earlier one has. */
    hear: <E extends ConversationEvent>(event: E): E => {
      const id = known.has(event.id) ? (`${event.id}-${known.size}` as E['id']) : event.id
      const heard = { ...event, id }
      known.add(id)
      note(event.data.chatId, factOf(dated(heard)))
      return heard
    },
    /** Throws if the bridge would suppress the command, by the decision that the bridge itself makes. */
    send: (command: BotReply): void => {
      const { chatId, id, type, inReplyTo, clientId } = command
      const decision = decide(chats.get(chatId) ?? unknownConversation, command, new Date(time))
      if (decision !== 'send')
        throw new AssertionError({ message: `the bridge would suppress a reply of the bot: ${decision}` })
      note(chatId, {
        id: `egress/${id}`,
        at: new Date(time),
        clientId,
        kind: 'finished',
        eventId: id,
        commandId: id,
        commandType: type,
        outcome: 'delivered',
        ...(inReplyTo && { inReplyTo }),
        ...(type === 'BotMessage' && command.expectsMore && { expectsMore: true }),
      })
    },
  }
}

/** What the bot says to events that come at once: messages in a row are one turn for a bot with `onTurn`. */
const answersOf = async (
  bot: Handlers,
  events: ReadonlyArray<ConversationEvent>,
  replyWithin: number,
  send: (command: BotReply) => void,
): Promise<ReadonlyArray<Reply>> => {
  const said: Reply[] = []
  const get = async (event: ConversationEvent, asking: () => Promise<ReadonlyArray<Reply>>) => {
    const answered = await answer(asking, event, replyWithin)
    if (E.isLeft(answered)) throw thrown(event.type, answered.left)
    for (const command of commandsOf(event, answered.right, 'test')) send(command)
    said.push(...answered.right)
  }
  const isOfTurn = (event: ConversationEvent): event is ClientMessageReceived =>
    bot.onTurn !== undefined && event.type === 'ClientMessageReceived' && event.receivedTime === undefined
  const isSameTurn = (turn: ReadonlyArray<ConversationEvent>, event: ConversationEvent) =>
    isOfTurn(event) && turn.every((each) => isOfTurn(each) && each.data.chatId === event.data.chatId)
  const turns: ConversationEvent[][] = []
  for (const event of events) {
    const last = turns.at(-1)
    if (last !== undefined && isSameTurn(last, event)) last.push(event)
    else turns.push([event])
  }
  for (const turn of turns) {
    const [first, last] = [turn[0], turn.at(-1)]
    if (first === undefined || last === undefined) continue
    const messages = turn.filter(isOfTurn)
    if (messages.length === 0) await get(last, () => ask(bot, last))
    else
      await get(last, async () => {
        let place = 0
        const say = async (reply: Reply) => {
          const mistakes = mistakesIn(last, [reply])
          if (mistakes.length > 0) throw new AssertionError({ message: mistakes.join('; ') })
          const command = announcementOf([first, last], reply, place++, 'test')
          if (command !== undefined) send(command)
          said.push(reply)
        }
        return repliesIn(await bot.onTurn?.({ messages, signal: new AbortController().signal, say }))
      })
  }
  return said
}

const wordsOf = (reply: Reply): string => {
  if (reply.kind === 'hand-over') return reply.reason ?? ''
  const { message } = reply
  switch (message.type) {
    case 'TEXT':
      return message.text
    case 'MARKDOWN':
      return message.content
    case 'BUTTONS':
      return [message.title, ...message.buttons.map(({ text }) => text)].join('\n')
  }
}

/**
 * Tests a bot in memory, without servers:
 * `await given(bot).when(clientWrites('Hello')).says(text('You said Hello'))`.
 * The bot first receives the earlier events that are given to `given`. Several messages in `when` come at once. The test
 * fails if the bridge would refuse or suppress a reply, also an earlier one, or if a handler takes longer than
 * `replyWithin` (ms).
 */
export const given = (bot: Handlers, ...past: ReadonlyArray<ConversationEvent>) => {
  const within = (replyWithin: number) => ({
    when: (...events: ReadonlyArray<ConversationEvent>) => {
      const all = async (): Promise<ReadonlyArray<Reply>> => {
        const { hear, send } = bridge()
        for (const earlier of past) await answersOf(bot, [hear(earlier)], replyWithin, send)
        return answersOf(bot, events.map(hear), replyWithin, send)
      }
      const expect = (isRight: boolean, message: string) => {
        if (!isRight) throw new AssertionError({ message })
      }
      return {
        /** Exactly these replies, in this order. */
        says: async (...expected: ReadonlyArray<Reply>): Promise<void> => deepStrictEqual(await all(), expected),
        /** A reply whose words match: models do not say the same twice. */
        saysSomethingLike: async (pattern: RegExp): Promise<void> =>
          expect(
            (await all()).some((reply) => pattern.test(wordsOf(reply))),
            `expected a reply like ${pattern}`,
          ),
        handsOver: async (): Promise<void> =>
          expect(
            (await all()).some(({ kind }) => kind === 'hand-over'),
            'expected a hand-over',
          ),
        staysSilent: async (): Promise<void> => expect((await all()).length === 0, 'expected no reply'),
      }
    },
  })
  return { ...within(defaultLimits.replyWithin), replyWithin: within }
}
