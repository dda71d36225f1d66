// Bot logic with a model that takes seconds, in its own process. The model takes as long as the message says.
import { setTimeout as sleep } from 'node:timers/promises'
import { startBot, text } from 'livechat-bridge/bot'
import { slowModelMs } from './model-times.ts'

const { KAFKA_BROKERS = '', TOPIC_PREFIX = '', BOT_TURNS = '', REPLY_WITHIN = '10000' } = process.env

const model = async (chatId: string, words: string) => {
  await sleep(slowModelMs(chatId))
  return text(`You said ${words}`)
}

await startBot(
  BOT_TURNS === ''
    ? { onMessage: ({ data: { chatId, message } }) => model(chatId, message.text ?? '') }
    : {
        onTurn: ({ messages }) =>
          model(messages[0]?.data.chatId ?? '', messages.map(({ data }) => data.message.text).join(' ')),
      },
  {
    brokers: KAFKA_BROKERS.split(','),
    topicPrefix: TOPIC_PREFIX,
    group: 'bot',
    limits: { replyWithin: Number(REPLY_WITHIN) },
  },
)
