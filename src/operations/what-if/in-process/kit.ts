/** What a bot module gets for `livechat-bridge-contracts/bot` here: it may start itself, and nothing happens. */
export { toMessages } from '../../../bot/history.ts'
export { withoutPersonalData } from '../../../bot/personal.ts'
export * from '../../../bot/replies.ts'

/** The handlers are asked directly, so there is nothing to start. */
export const startBot = async (): Promise<{ readonly stop: () => Promise<void> }> => ({ stop: async () => {} })
