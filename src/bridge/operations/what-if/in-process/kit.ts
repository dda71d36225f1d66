/** What a bot module gets for `livechat-bridge-contracts/bot` here: it may start itself, and is only noted. */
import type { Handlers } from '../../../../bot/handlers.ts'
import { noteStarted } from './started.ts'

export { toMessages } from '../../../../bot/history.ts'
export { withoutPersonalData } from '../../../../bot/personal.ts'
export * from '../../../../bot/replies.ts'

/** The handlers are asked directly, so there is nothing to start. */
export const startBot = async (handlers: Handlers): Promise<{ readonly stop: () => Promise<void> }> => {
  noteStarted(handlers)
  return { stop: async () => {} }
}
