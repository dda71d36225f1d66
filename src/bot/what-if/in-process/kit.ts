/** What a bot module gets for `livechat-bridge-contracts/bot` here: it may start itself, and is only noted. */
import type { Handlers } from '../../handlers.ts'
import { noteStarted } from './load-bot.ts'

export { toMessages } from '../../history.ts'
export { withoutPersonalData } from '../../personal.ts'
export * from '../../replies.ts'

/** The handlers are asked directly, so there is nothing to start. */
export const startBot = async (handlers: Handlers): Promise<{ readonly stop: () => Promise<void> }> => {
  noteStarted(handlers)
  return { stop: async () => {} }
}
