import type { BotReply } from '../../contracts/commands/bot-reply.ts'
import type { ConversationEvent } from '../../contracts/events/index.ts'
import { within } from '../shared/timeout.ts'
import { commandsOf } from './commands.ts'
import { ask, type Handlers } from './handlers.ts'

export type Limits = {
  /** A message that is older, in ms, is left to the watchdog: a bot that starts anew does not answer last week's. */
  readonly ignoreOlderThan: number
  /** A handler that takes longer, in ms, has said nothing. */
  readonly answerWithin: number
}

export const defaultLimits: Limits = { ignoreOlderThan: 60_000, answerWithin: 10_000 }

export type Failed = (event: ConversationEvent, reason: 'threw' | 'too slow') => void

/** The commands for one event. A handler that throws or is too slow says nothing: the client is left to the watchdog. */
export const respond =
  (handlers: Handlers, limits: Limits, now: () => number, failed: Failed) =>
  async (event: ConversationEvent): Promise<ReadonlyArray<BotReply>> => {
    if (now() - Date.parse(event.time) > limits.ignoreOlderThan) return []
    try {
      const answer = ask(handlers, event)
      const replies = await within(limits.answerWithin, answer, () => undefined)
      if (replies !== undefined) return commandsOf(event, replies)
      failed(event, 'too slow')
    } catch {
      failed(event, 'threw')
    }
    return []
  }
