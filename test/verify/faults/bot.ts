// Bot logic in its own process, made with the kit: it answers every message.
import { startBot, text } from 'livechat-bridge/bot'

const { KAFKA_BROKERS = '', TOPIC_PREFIX = '' } = process.env

await startBot(
  { onMessage: ({ data: { message } }) => text(`You said ${message.text}`) },
  { brokers: KAFKA_BROKERS.split(','), topicPrefix: TOPIC_PREFIX, group: 'bot' },
)
