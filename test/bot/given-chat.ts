import { type Chat, type ChatOptions, createChat } from '../../src/bot/chat.ts'
import { noHistory } from '../../src/bot/history.ts'
import { semaphore } from '../../src/bridge/shared/semaphore.ts'
import { sleep } from '../../src/bridge/shared/time.ts'
import { silent } from '../support/silent-log.ts'

/** A chat of the kit: every message is a turn of its own, without a history. What a test is about can be replaced. */
export const givenChat = (handlers: ChatOptions['handlers'], about: Partial<ChatOptions> = {}): Chat => {
  const limits = about.limits ?? { ignoreOlderThan: Number.POSITIVE_INFINITY, replyWithin: 5_000, atOnce: 100 }
  return createChat({
    handlers,
    group: 'shop-bot',
    limits,
    turns: { quietMs: 0, atMostMs: 0 },
    acquire: semaphore(limits.atOnce),
    monotonic: () => performance.now(),
    now: Date.now,
    sleep,
    readHistory: noHistory,
    log: silent,
    ignore: () => {},
    notice: () => {},
    stopping: new AbortController().signal,
    ...about,
  })
}
