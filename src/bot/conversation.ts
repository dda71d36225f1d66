import * as E from 'fp-ts/lib/Either.js'
import type { BotReply } from '../../contracts/commands/bot-reply.ts'
import type { ConversationEvent } from '../../contracts/events/index.ts'
import type { Log } from '../domain/ports.ts'
import { within } from '../shared/timeout.ts'
import { commandsOf } from './commands.ts'
import { ask, type Handlers } from './handlers.ts'
import { mistakesIn } from './mistakes.ts'
import type { Reply } from './replies.ts'

export type Limits = {
  /** In ms. The bot ignores older events, for example those before its restart: the watchdog handles their chats. */
  readonly ignoreOlderThan: number
  /** In ms. A slower handler gives no reply. The bridge invites an agent after the account's `bot.replyWithin`. */
  readonly replyWithin: number
}

export const defaultLimits: Limits = { ignoreOlderThan: 60_000, replyWithin: 10_000 }

/** Why there is no answer: the handler threw, was too slow, or returned replies that the bridge would not send. */
export type NoAnswer =
  | { readonly reason: 'threw'; readonly err: unknown }
  | { readonly reason: 'too slow'; readonly replyWithin: number }
  | { readonly reason: 'mistakes'; readonly mistakes: ReadonlyArray<string> }

/** The bot's replies to an event, if the bridge would send all of them. */
export const answer = async (
  handlers: Handlers,
  event: ConversationEvent,
  replyWithin: number,
): Promise<E.Either<NoAnswer, ReadonlyArray<Reply>>> => {
  try {
    const replies = await within(replyWithin, ask(handlers, event), () => undefined)
    if (replies === undefined) return E.left({ reason: 'too slow', replyWithin })
    const mistakes = mistakesIn(event, replies)
    return mistakes.length > 0 ? E.left({ reason: 'mistakes', mistakes }) : E.right(replies)
  } catch (err) {
    return E.left({ reason: 'threw', err })
  }
}

/**
 * The commands for one event. Without a complete answer there are none, because the client could wait for the missing
 * rest. The watchdog then invites an agent.
 */
export const respond =
  (handlers: Handlers, group: string, limits: Limits, now: () => number, log: Pick<Log, 'error'>) =>
  async (event: ConversationEvent): Promise<ReadonlyArray<BotReply>> => {
    if (now() - Date.parse(event.time) > limits.ignoreOlderThan) return []
    const answered = await answer(handlers, event, limits.replyWithin)
    if (E.isRight(answered)) return commandsOf(event, answered.right, group)
    const { accountId, chatId } = event.data
    log.error({ type: event.type, accountId, chatId, ...answered.left }, 'the bot gave no reply to an event')
    return []
  }
