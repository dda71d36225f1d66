/** Runs the shop's bot until Ctrl-C. */
import { startBot } from 'livechat-bridge-contracts/bot'
import { shopBot } from './shop-bot.ts'

const { KAFKA_BROKERS = '127.0.0.1:9092', TOPIC_PREFIX = 'livechat.', GROUP = 'shop-bot' } = process.env
const bot = await startBot(shopBot, { brokers: KAFKA_BROKERS.split(','), topicPrefix: TOPIC_PREFIX, group: GROUP })
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => bot.stop())
