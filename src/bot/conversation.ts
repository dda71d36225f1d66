import * as E from 'fp-ts/lib/Either.js'
import type { ConversationEvent } from '../../contracts/events/index.ts'
import { endSpan, inSpan, type Span } from '../bridge/adapters/tracing.ts'
import type { MarkdownRule } from '../bridge/domain/message-text.ts'
import type { Log } from '../bridge/shared/log.ts'
import { within } from '../bridge/shared/timeout.ts'
import { type Handlers, type NoAnswer, repliesIn } from './handlers.ts'
import { canBeAnswered, mistakesIn } from './mistakes.ts'
import { handOver, type Reply } from './replies.ts'

export type Limits = {
  /**
   * In ms. The bot ignores events that are older when it reads them, for example those before its restart: the watchdog
   * handles their chats.
   */
  readonly ignoreOlderThan: number
  /** In ms. A slower handler is not waited for: the client is handed over. The account's `bot.replyWithin`. */
  readonly replyWithin: number
  /** How many handlers run at the same time, at most. Further chats wait. */
  readonly atOnce: number
  /** The account's `bot.markdown`: `refuse` if the bridge refuses Markdown that the service cannot show. */
  readonly markdown?: MarkdownRule | undefined
}

export const defaultLimits: Limits = { ignoreOlderThan: 60_000, replyWithin: 10_000, atOnce: 500 }

/** When a turn of the client is complete. */
export type Turns = {
  /** In ms. The client has written nothing for so long. */
  readonly quietMs: number
  /** In ms. So long after the first message of a turn, a further message waits for the next turn. */
  readonly atMostMs: number
}

export const defaultTurns: Turns = { quietMs: 1_200, atMostMs: 5_000 }

/** Why these settings cannot work. Undefined if they can. */
export const limitsProblemOf = ({ replyWithin, atOnce }: Limits, { quietMs, atMostMs }: Turns): string | undefined => {
  if (!(quietMs >= 0 && quietMs <= atMostMs)) return 'turns.quietMs: expected at most turns.atMostMs'
  if (!(atMostMs < replyWithin)) return 'turns.atMostMs: expected less than limits.replyWithin, the time for the answer'
  return atOnce >= 1 ? undefined : 'limits.atOnce: expected at least 1'
}

/** Calls the bot's code. A span of this call, if there is one, is the parent of what the call sends. */
export type Asking = (span: Span | undefined) => Promise<ReadonlyArray<Reply>>

/** The work's result. Undefined if it takes longer than there is time, which may become more while it runs. */
const inTime = async <A>(work: Promise<A>, timeLeft: () => number): Promise<{ readonly value: A } | undefined> => {
  const done = work.then((value) => ({ value }))
  // It may reject after the time is over. An unhandled rejection would end the process.
  done.catch(() => {})
  for (let left = timeLeft(); left > 0; left = timeLeft()) {
    const found = await within(left, done, () => undefined)
    if (found !== undefined) return found
  }
  return undefined
}

/** The bot's replies to an event, if the bridge would send all of them. `timeLeft` is in ms from now. */
export const answer = async (
  asking: () => Promise<ReadonlyArray<Reply>>,
  event: ConversationEvent,
  timeLeft: () => number,
  markdown?: MarkdownRule,
): Promise<E.Either<NoAnswer, ReadonlyArray<Reply>>> => {
  try {
    const replyWithin = timeLeft()
    const answered = replyWithin > 0 ? await inTime(asking(), timeLeft) : undefined
    if (answered === undefined) return E.left({ reason: 'too slow', replyWithin })
    const { value: replies } = answered
    const mistakes = mistakesIn(event, replies, markdown)
    return mistakes.length > 0 ? E.left({ reason: 'mistakes', mistakes }) : E.right(replies)
  } catch (err) {
    return E.left({ reason: 'threw', err })
  }
}

/** The same in a span. Why it failed is the kind of failure or the name of an error: a message may quote the chat. */
const tracedAnswer = async (
  asking: Asking,
  event: ConversationEvent,
  timeLeft: () => number,
  span: Span | undefined,
  markdown: MarkdownRule | undefined,
): Promise<E.Either<NoAnswer, ReadonlyArray<Reply>>> => {
  const answered = await inSpan(span, () => answer(() => asking(span), event, timeLeft, markdown))
  endSpan(span, E.isLeft(answered) ? kindOf(answered.left) : undefined)
  return answered
}

const kindOf = (failure: NoAnswer): string =>
  failure.reason === 'threw' && failure.err instanceof Error ? failure.err.name : failure.reason

/** For people, without any text of the chat: the message of an error may quote it. */
export const wordsOf = (failure: NoAnswer): string => {
  switch (failure.reason) {
    case 'threw':
      return `The bot failed: ${failure.err instanceof Error ? failure.err.name : 'its handler threw'}.`
    case 'too slow':
      return 'The bot had no answer in time.'
    case 'mistakes':
      return `The bridge would not send the bot's answer: ${failure.mistakes.join('; ')}.`
  }
}

/** In ms: what `onFailure` may take. */
const failureWithin = 1_000
const failureTime = () => {
  const until = performance.now() + failureWithin
  return () => until - performance.now()
}

type Parts = {
  readonly handlers: Pick<Handlers, 'onFailure'>
  readonly markdown: MarkdownRule | undefined
  readonly log: Pick<Log, 'warn' | 'error'>
  /** A span for one call of a handler. */
  readonly span: () => Span | undefined
  /** In ms from now. */
  readonly timeLeft: () => number
  /** True if nobody wants the answer any more. */
  readonly isOver: () => boolean
}

/**
 * The replies to an event. A handler that fails is tried once more, unless it was too slow. Then the client is handed
 * over at once: an agent after ten seconds is worse than an agent now. Nothing of an incomplete answer is sent.
 */
export const respond = async (
  { handlers, markdown, log, span, timeLeft, isOver }: Parts,
  event: ConversationEvent,
  asking: Asking,
): Promise<ReadonlyArray<Reply>> => {
  const { accountId, chatId } = event.data
  const first = await tracedAnswer(asking, event, timeLeft, span(), markdown)
  if (isOver()) return []
  if (E.isRight(first)) return first.right
  const isTriedAgain = first.left.reason !== 'too slow'
  if (isTriedAgain)
    log.warn({ type: event.type, accountId, chatId, ...first.left }, 'the bot is asked once more about an event')
  const again = isTriedAgain ? await tracedAnswer(asking, event, timeLeft, span(), markdown) : first
  if (isOver()) return []
  if (E.isRight(again)) return again.right
  log.error({ type: event.type, accountId, chatId, ...again.left }, 'the bot gave no reply to an event')
  if (!canBeAnswered(event)) return []
  const instead = await answer(
    async () =>
      handlers.onFailure === undefined
        ? [handOver({ reason: wordsOf(again.left) })]
        : repliesIn(await handlers.onFailure(again.left, event)),
    event,
    failureTime(),
    markdown,
  )
  if (E.isRight(instead)) return instead.right
  log.error({ type: event.type, accountId, chatId, ...instead.left }, 'onFailure of the bot has failed')
  return [handOver({ reason: wordsOf(again.left) })]
}
