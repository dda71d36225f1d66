/** A bot that answers with what it knows of the chat, as its own process. */
import { setTimeout as sleep } from 'node:timers/promises'
import { handOver, startBot, text, toMessages } from 'livechat-bridge/bot'

const { KAFKA_BROKERS = '', TOPIC_PREFIX = '', GROUP = '', BRIDGE_URL = '', HISTORY_TOKEN = '' } = process.env

const bot = await startBot(
  {
    onMessage: async ({ data: { message } }, { history }) => {
      if (message.text === 'silence') return undefined
      if (message.text === 'refund')
        return [text('One moment.'), handOver({ summary: 'Wants a refund', fields: { Order: '7' } })]
      if (message.text === 'slow') await sleep(2_000)
      const said = toMessages(await history(10))
      return text(said.map(({ role, content }) => `${role}: ${content}`).join(' | '))
    },
    onChatErased: () => {},
  },
  {
    brokers: KAFKA_BROKERS.split(','),
    topicPrefix: TOPIC_PREFIX,
    group: GROUP,
    limits: { replyWithin: 30_000 },
    history: { url: BRIDGE_URL, tokens: { acme: HISTORY_TOKEN } },
  },
)
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => bot.stop())
