import { type Handlers, handOver, startBot, text } from '../../../../src/bot/index.ts'

/** Announces its answer, and hands over whom it does not understand. It also starts itself, as a bot in production. */
export const bot: Handlers = {
  onTurn: async ({ messages, say }) => {
    await say(text('One moment, please.'))
    return messages.length > 1 ? text(`${messages.length} messages`) : handOver({ reason: 'one message' })
  },
  onAgentUnavailable: () => text('Leave us your phone number.'),
}

await startBot(bot, { brokers: ['127.0.0.1:1'], group: 'talking' })
