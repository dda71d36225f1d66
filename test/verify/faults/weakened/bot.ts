import { instead } from './instead.ts'

export const bot = {
  'chats of a bot side by side': [
    instead(
      () => import('../../../../src/bot/index.ts'),
      ({ startBot }) => ({
        startBot: (handlers, options) => startBot(handlers, { ...options, limits: { ...options.limits, atOnce: 1 } }),
      }),
    ),
  ],
  'turns of a bot': [
    instead(
      () => import('../../../../src/bot/index.ts'),
      ({ startBot }) => ({
        startBot: (handlers, options) => startBot(handlers, { ...options, turns: { quietMs: 0, atMostMs: 0 } }),
      }),
    ),
  ],
  'a dead bot is noticed before its clients are handed over': [
    instead(
      () => import('../../../../src/bridge/kafka/kafka.ts'),
      ({ connectKafka }) => ({
        connectKafka: (...given) => {
          const kafka = connectKafka(...given)
          return {
            ...kafka,
            consume: (spec) => kafka.consume(spec.group === 'bot' ? { ...spec, sessionTimeoutMs: 12_000 } : spec),
          }
        },
      }),
    ),
  ],
}
