/** A bot whose model takes seconds: `HISTORY_TOKEN=… node model-bot.ts`. Exchange `model` for the API of yours. */
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Handlers, handOver, type ModelMessage, startBot, text, toMessages } from 'livechat-bridge-contracts/bot'

/** A model that is not one: seeded, so a run can be repeated. It takes one to nine seconds. */
const modelWith = (seed: number) => {
  let state = seed
  return async (messages: ReadonlyArray<ModelMessage>, signal: AbortSignal): Promise<string> => {
    state = (state * 48_271) % 2_147_483_647
    await sleep(1_000 + (state % 8_000), undefined, { signal })
    return `About "${messages.at(-1)?.content}" I know this much.`
  }
}

const model = modelWith(7)
const patienceMs = 2_000

export const modelBot: Handlers = {
  onTurn: async ({ messages, signal, say, history }) => {
    const prompt = messages.map(({ data: { message } }) => message.text).join('\n')
    if (/\b(agent|person)\b/i.test(prompt))
      return [text('I get somebody.'), handOver({ reason: 'The client asks for a person.', summary: prompt })]
    const thinking = new AbortController()
    const patience = sleep(patienceMs, undefined, { signal: AbortSignal.any([signal, thinking.signal]) }).then(
      () => say(text('One moment, please.')),
      () => undefined,
    )
    try {
      return text(await model(toMessages(await history()), signal))
    } finally {
      thinking.abort()
      await patience
    }
  },
  onAgentUnavailable: () => text('Nobody is free now. Leave us your phone number, and we will call you back.'),
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { KAFKA_BROKERS = '127.0.0.1:9092', TOPIC_PREFIX = 'livechat.', GROUP = 'model-bot' } = process.env
  const { BRIDGE_URL = 'http://127.0.0.1:8080', HISTORY_TOKEN = '', ACCOUNT = 'demo' } = process.env
  const bot = await startBot(modelBot, {
    brokers: KAFKA_BROKERS.split(','),
    topicPrefix: TOPIC_PREFIX,
    group: GROUP,
    history: { url: BRIDGE_URL, tokens: { [ACCOUNT]: HISTORY_TOKEN } },
  })
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => bot.stop())
}
