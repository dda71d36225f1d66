import { AssertionError, deepStrictEqual } from 'node:assert'
import * as E from 'fp-ts/lib/Either.js'
import type { BotReply } from '../../contracts/commands/bot-reply.ts'
import { ConversationEvent } from '../../contracts/events/index.ts'
import type { HistoryMessage } from '../../contracts/http.ts'
import { messageTypeOf } from '../../contracts/messages/index.ts'
import type { Instant } from '../../contracts/primitives.ts'
import { describe, problemsOf } from '../../contracts/problem.ts'
import { sourceAt, sourceOfType } from '../../contracts/source.ts'
import { markdown } from '../bridge/adapters/markdown.ts'
import { type Conversation, decideReply, unknownConversation, withFacts } from '../bridge/domain/conversation.ts'
import { factOf } from '../bridge/domain/conversation-facts.ts'
import { dated } from '../bridge/domain/dated.ts'
import { type MarkdownRule, writtenMessage } from '../bridge/domain/message-text.ts'
import { semaphore } from '../bridge/shared/semaphore.ts'
import { sleep } from '../bridge/shared/time.ts'
import { type Chat, createChat } from './chat.ts'
import { defaultLimits, defaultTurns, limitsProblemOf, type Turns } from './conversation.ts'
import type { Handlers, NoAnswer } from './handlers.ts'
import { messageOf } from './history.ts'
import type { Note, Reply } from './replies.ts'
import { type Clock, inVirtualTime } from './virtual-time.ts'

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
  const event = ConversationEvent.decode({
    id: 'e1',
    source: sourceAt(String(all.accountId), sourceOfType(type)),
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

/** The same event in another chat, of another client. */
export const inChat = <E extends ConversationEvent>(chatId: string, { type, data, id }: E): E =>
  conversationEvent(type, { ...data, chatId, clientId: `client-of-${chatId}` }, { id }) as E

/** Lets this many ms pass between two events. */
export const pause = (ms: number) => ({ pauseMs: ms })
type Step = ConversationEvent | ReturnType<typeof pause>

export const agentInvited = () => conversationEvent('AgentInvited')
export const agentJoined = () => conversationEvent('AgentJoined')
export const agentUnavailable = () => conversationEvent('AgentUnavailable')
export const chatClosed = () => conversationEvent('ChatClosed')

/** Why a handler gave no answer, as the kit logs it. */
type Failed = NoAnswer & { readonly type: Type }

/** `replyWithin` is the setting: `why` has what was left of it when the handler began. */
const thrown = (why: Failed, replyWithin: number): unknown => {
  if ('err' in why) return why.err
  const message =
    why.reason === 'too slow'
      ? `the handler of ${why.type} took longer than replyWithin, ${replyWithin} ms`
      : `the bridge would not send the answer to ${why.type}: ${why.mistakes.join('; ')}`
  return new AssertionError({ message })
}

const replyOf = (command: BotReply, note: Note | undefined): Reply =>
  command.type === 'BotMessage'
    ? { kind: 'message', message: command.message }
    : { kind: 'hand-over', ...(command.reason && { reason: command.reason }), ...note }

/** The chats of a test, as the bridge sees them. */
const bridge = (now: () => Instant) => {
  const chats = new Map<string, Conversation>()
  const known = new Set<string>()
  const history = new Map<string, HistoryMessage[]>()
  const note = (event: ConversationEvent) => {
    const fact = factOf(dated(event))
    const { chatId } = event.data
    const message = messageOf(event)
    if (message !== undefined) history.set(chatId, [...(history.get(chatId) ?? []), message])
    if (fact !== undefined) chats.set(chatId, withFacts(chats.get(chatId) ?? unknownConversation, [fact]))
  }
  return {
    /** What was said in a chat, as the bridge's endpoint has it. */
    readHistory: async ({ chatId }: { readonly chatId: string }, last: number) =>
      (history.get(chatId) ?? []).slice(-last),
    /** The event at this time, with an id that no earlier one has. */
    receive: <E extends ConversationEvent>(event: E): E => {
      const id = known.has(event.id) ? (`${event.id}-${known.size}` as E['id']) : event.id
      const received = { ...event, id, ...(event.time === time && { time: now() }) }
      known.add(id)
      note(received)
      return received
    },
    /**
     * What becomes of the command: its outcome, or why the bridge would suppress it, by the decision that the bridge
     * itself makes.
     */
    send: (command: BotReply): E.Either<string, ConversationEvent> => {
      const { accountId, chatId, clientId, id, type, inReplyTo, group } = command
      const decision = decideReply(chats.get(chatId) ?? unknownConversation, command, new Date(now()))
      if (decision !== 'send') return E.left(decision)
      const event = conversationEvent(
        'BotReplyDelivered',
        {
          accountId,
          chatId,
          clientId,
          commandId: id,
          commandType: type,
          requestedAt: now(),
          ...(inReplyTo && { inReplyTo }),
          ...(group && { group }),
          ...(type === 'BotMessage' && writtenMessage(markdown, command.message, now())),
          ...(type === 'BotMessage' && command.expectsMore && { expectsMore: true }),
        },
        { id: `${id}:delivered`, time: now() },
      )
      note(event)
      return E.right(event)
    },
  }
}

type Settings = {
  readonly replyWithin: number
  readonly turns: Turns
  readonly isVirtual: boolean
  readonly markdown: MarkdownRule
  readonly mayFail: boolean
}

/** What a bot said, in which chat. */
type Said = { readonly chatId: string; readonly reply: Reply }

/** Plays events to a bot by the kit's own rules, with the bridge's decision in place of the bridge. */
const play = async (
  bot: Handlers,
  past: ReadonlyArray<ConversationEvent>,
  steps: ReadonlyArray<Step>,
  { replyWithin, turns, isVirtual, markdown: rule, mayFail }: Settings,
  { elapsed }: Clock,
): Promise<ReadonlyArray<Said>> => {
  const chats = new Map<string, Chat>()
  const { receive, send, readHistory } = bridge(() => new Date(Date.parse(time) + elapsed()).toISOString() as Instant)
  const failures: unknown[] = []
  let said: Said[] = []
  const note = (fields: object) => {
    if (!mayFail) failures.push(thrown(fields as Failed, replyWithin))
  }
  const suppressed = (reason: string) =>
    new AssertionError({ message: `the bridge would suppress a reply of the bot: ${reason}` })
  const chatOf = (chatId: string): Chat => {
    const before = chats.get(chatId)
    if (before !== undefined) return before
    const chat = createChat({
      handlers: bot,
      group: 'test',
      limits: { ...defaultLimits, replyWithin, markdown: rule, ignoreOlderThan: Number.POSITIVE_INFINITY },
      // Without virtual time nothing waits: events that come at once are a turn.
      turns: isVirtual ? turns : { quietMs: 0, atMostMs: 0 },
      acquire: semaphore(defaultLimits.atOnce),
      monotonic: () => performance.now(),
      now: Date.now,
      sleep,
      readHistory,
      log: { debug: () => {}, info: () => {}, warn: note, error: note },
      ignore: () => {},
      notice: () => {},
      stopping: new AbortController().signal,
    })
    chats.set(chatId, chat)
    return chat
  }
  const tell = (event: ConversationEvent) => {
    let note: Note | undefined
    const chat = chatOf(event.data.chatId)
    chat.receive({
      event,
      finish: () => {},
      attach: async (given) => {
        note = given
      },
      publish: async (command) => {
        const { chatId } = command
        const outcome = send(command)
        if (E.isLeft(outcome)) failures.push(suppressed(outcome.left))
        else {
          said.push({ chatId, reply: replyOf(command, note) })
          tell(outcome.right)
        }
      },
    })
  }
  const idle = async () => {
    for (const chat of chats.values()) await chat.idle()
    if ([...chats.values()].some((chat) => !chat.isIdle())) await idle()
  }
  for (const earlier of past) {
    tell(receive(earlier))
    await idle()
  }
  said = []
  for (const step of steps) {
    if ('pauseMs' in step) await sleep(step.pauseMs)
    else tell(receive(step))
  }
  await idle()
  if (failures.length > 0) throw failures[0]
  return said
}

const wordsOf = (reply: Reply): string => {
  if (reply.kind === 'hand-over') return reply.reason ?? ''
  const { wordsOf, answersOf } = messageTypeOf(reply.message)
  return [wordsOf(reply.message), ...answersOf(reply.message)].join('\n')
}

const expect = (isRight: boolean, message: string) => {
  if (!isRight) throw new AssertionError({ message })
}

const matchers = (all: () => Promise<ReadonlyArray<Said>>) => {
  const replies = async () => (await all()).map(({ reply }) => reply)
  return {
    /** Exactly these replies, in this order, over all chats. */
    says: async (...expected: ReadonlyArray<Reply>): Promise<void> => deepStrictEqual(await replies(), expected),
    /** Exactly these replies in each of these chats, and none in any other: `{ '2037': [text('Hi')] }`. */
    saysInChats: async (expected: Readonly<Record<string, ReadonlyArray<Reply>>>): Promise<void> => {
      const said: Record<string, Reply[]> = {}
      for (const { chatId, reply } of await all()) {
        const chat = said[chatId] ?? []
        said[chatId] = [...chat, reply]
      }
      deepStrictEqual(said, expected)
    },
    /** A reply whose words match: models do not say the same twice. */
    saysSomethingLike: async (pattern: RegExp): Promise<void> =>
      expect(
        (await replies()).some((reply) => pattern.test(wordsOf(reply))),
        `expected a reply like ${pattern}`,
      ),
    handsOver: async (): Promise<void> =>
      expect(
        (await replies()).some(({ kind }) => kind === 'hand-over'),
        'expected a hand-over',
      ),
    staysSilent: async (): Promise<void> => expect((await replies()).length === 0, 'expected no reply'),
  }
}

/**
 * Tests a bot in memory, without servers:
 * `await given(bot).when(clientWrites('Hello')).says(text('You said Hello'))`.
 * The bot first receives the earlier events that are given to `given`. Several messages in `when` come at once. The
 * test fails if the bridge would refuse or suppress a reply, also an earlier one, or if a handler takes longer than
 * `replyWithin` (ms). With `virtualTime()`, quiet times, slow models and `pause(ms)` between events take no real time.
 */
export const given = (bot: Handlers, ...past: ReadonlyArray<ConversationEvent>) => {
  const withSettings = (settings: Settings) => ({
    /** In ms: the account's `bot.replyWithin`. Default: 10 s. */
    replyWithin: (replyWithin: number) => withSettings({ ...settings, replyWithin }),
    /**
     * Time passes only when there is nothing else to do. Turns are complete as they are with `startBot`. The bot may
     * wait by timers alone: a real request could be overtaken by one.
     */
    virtualTime: (turns: Turns = defaultTurns) => withSettings({ ...settings, turns, isVirtual: true }),
    /** The account's `bot.markdown`. With `refuse`, Markdown that the service cannot show fails the test. */
    markdown: (rule: MarkdownRule) => withSettings({ ...settings, markdown: rule }),
    /** A handler that fails does not fail the test: what `onFailure` says is compared. */
    mayFail: () => withSettings({ ...settings, mayFail: true }),
    when: (...steps: ReadonlyArray<Step>) =>
      matchers(async () => {
        const problem = settings.isVirtual
          ? limitsProblemOf({ ...defaultLimits, replyWithin: settings.replyWithin }, settings.turns)
          : undefined
        if (problem !== undefined) throw new TypeError(problem)
        return settings.isVirtual
          ? inVirtualTime(Date.parse(time), (clock) => play(bot, past, steps, settings, clock))
          : play(bot, past, steps, settings, { elapsed: () => 0 })
      }),
  })
  return withSettings({
    replyWithin: defaultLimits.replyWithin,
    turns: defaultTurns,
    isVirtual: false,
    markdown: 'plain',
    mayFail: false,
  })
}
