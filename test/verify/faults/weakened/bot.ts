import { instead } from './instead.ts'

export const bot = {
  'chats of a bot side by side': [
    instead(
      () => import('../../../../src/bot/worker.ts'),
      ({ worker }) => ({
        worker: (deps) => {
          const all = worker(deps)
          return {
            ...all,
            handle: async (slice, owner) => {
              await all.handle(slice, owner)
              await all.idle()
            },
          }
        },
      }),
    ),
  ],
  'turns of a bot': [
    instead(
      () => import('../../../../src/bot/chat.ts'),
      ({ createChat }) => ({ createChat: (deps) => createChat({ ...deps, turns: { quietMs: 0, atMostMs: 0 } }) }),
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
