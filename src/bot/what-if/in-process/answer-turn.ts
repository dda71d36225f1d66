import * as E from 'fp-ts/lib/Either.js'
import type { ClientMessageReceived, ConversationEvent } from '../../../../contracts/events/index.ts'
import type { HistoryMessage } from '../../../../contracts/http.ts'
import { within } from '../../../bridge/shared/timeout.ts'
import { answer } from '../../conversation.ts'
import { askingFor, type ChatAccess, type Handlers, type NoAnswer, type Outcome, repliesIn } from '../../handlers.ts'
import { messageOf } from '../../history.ts'
import { announcedOnly, mistakesInAnnouncement } from '../../mistakes.ts'
import type { Reply } from '../../replies.ts'
import type { Failing } from '../judge.ts'
import { atLogTime } from './log-clock.ts'
import type { Raw } from './messages.ts'

/** A bot in one chat, and what was said there by the log so far. */
export type BotInChat = { readonly handlers: Handlers; readonly history: HistoryMessage[] }

type Asked = { readonly before: ReadonlyArray<ConversationEvent>; readonly events: ReadonlyArray<ConversationEvent> }

class Refused extends Error {
  override readonly name = 'Refused'
}

const isOutcome = (event: ConversationEvent): event is Outcome =>
  event.type === 'BotReplyDelivered' || event.type === 'BotReplyFailed' || event.type === 'BotReplySuppressed'
const isMessage = (event: ConversationEvent): event is ClientMessageReceived => event.type === 'ClientMessageReceived'

/** In characters: what is longer is not shown. */
const maxRefused = 100_000
/** In ms, for a handler whose replies the bridge would not send. */
const besideWithin = 1_000

/** What the bot does with events that it cannot answer matters only for what it remembers. */
const react = async ({ handlers, history }: BotInChat, event: ConversationEvent): Promise<void> => {
  try {
    const work = isOutcome(event)
      ? event.data.because === undefined && (await handlers.onOutcome?.(event))
      : await askingFor(handlers, event, accessTo(history))?.()
    void work
  } catch {
    // The kit only logs it, and the client notices nothing.
  }
}

/** The name of an error, if it looks like one: a bot may put a client's words there. */
const nameOf = (err: unknown): string =>
  err instanceof Error && /^[A-Z][A-Za-z]{0,40}$/.test(err.name) ? err.name : 'an error'

const failingOf = (why: NoAnswer, replyWithin: number): Failing => {
  switch (why.reason) {
    case 'threw':
      return why.err instanceof Refused
        ? { verdict: 'refused', reason: why.err.message }
        : { verdict: 'threw', reason: `threw ${nameOf(why.err)}` }
    case 'too slow':
      return { verdict: 'slow', reason: `no answer within ${replyWithin} ms` }
    case 'mistakes':
      return { verdict: 'refused', reason: why.mistakes.join('; ') }
  }
}

/** Nothing but JSON leaves this process. What cannot be written as JSON was refused already. */
const plain = (replies: ReadonlyArray<Reply>, maxLength = Number.POSITIVE_INFINITY): ReadonlyArray<Reply> => {
  try {
    const json = JSON.stringify(replies)
    return json.length > maxLength ? [] : JSON.parse(json)
  } catch {
    return []
  }
}

/** In place of the bridge's endpoint: the history as the log is now. What is added later is not in it. */
const accessTo = (history: ReadonlyArray<HistoryMessage>): ChatAccess => {
  const until = history.length
  return { history: async (last = 20) => history.slice(0, until).slice(-last) }
}

/**
 * What the bot answers to a turn, as the kit asks it: all messages at once if it has `onTurn`, a second time if it
 * fails. Quiet times take no time here: the messages of a turn are known.
 */
export const answerTurn = async (bot: BotInChat, { before, events }: Asked, replyWithin: number): Promise<Raw> => {
  const { handlers, history } = bot
  const note = (event: ConversationEvent) => {
    const message = messageOf(event)
    if (message !== undefined) history.push(message)
  }
  for (const event of before) {
    note(event)
    await within(
      besideWithin,
      atLogTime(event.time, () => react(bot, event)),
      () => undefined,
    )
  }
  const startedAt = performance.now()
  const said: Reply[] = []
  // As in the kit: an announcement gives the answer the same time once more.
  const timeLeft = () => Math.max(0, startedAt + replyWithin * (said.length > 0 ? 2 : 1) - performance.now())
  let given: ReadonlyArray<Reply> = []
  const messages = events.filter(isMessage)
  const last = events.at(-1)

  const askOnce = async (event: ConversationEvent): Promise<ReadonlyArray<Reply>> => {
    let place = 0
    const say = async (reply: Reply) => {
      const mistakes = mistakesInAnnouncement(event, reply)
      if (mistakes.length > 0) throw new Refused(mistakes.join('; '))
      // What was said counts on when the bot is asked again.
      if (place++ >= said.length) said.push(reply)
    }
    const chat = accessTo(history)
    given = []
    given =
      handlers.onTurn !== undefined && isMessage(event)
        ? repliesIn(await handlers.onTurn({ messages, signal: new AbortController().signal, say, ...chat }, chat))
        : ((await askingFor(handlers, event, chat)?.()) ?? [])
    if (place > 0 && given.length === 0) throw new Refused(announcedOnly)
    return given
  }
  const replies: Reply[] = []
  const isOneCall = handlers.onTurn !== undefined && messages.length > 0
  if (isOneCall) for (const event of events) note(event)
  for (const event of isOneCall ? [last] : events) {
    if (event === undefined) continue
    if (!isOneCall) note(event)
    const asking = () => atLogTime(event.time, () => askOnce(event))
    const first = await answer(asking, event, timeLeft)
    const isFinal = E.isRight(first) || first.left.reason === 'too slow'
    const answered = isFinal ? first : await answer(asking, event, timeLeft)
    if (E.isLeft(answered)) {
      const failing = failingOf(answered.left, replyWithin)
      const refused = failing.verdict === 'refused' ? plain(given, maxRefused) : []
      return { said: plain(said), replies: refused, failing, ms: performance.now() - startedAt }
    }
    replies.push(...answered.right)
  }
  return { said: plain(said), replies: plain(replies), ms: performance.now() - startedAt }
}
