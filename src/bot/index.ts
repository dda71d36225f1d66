import type { Instant } from '../../contracts/primitives.ts'
import { botConversations } from '../../contracts/topics.ts'
import type { Log } from '../domain/ports.ts'
import { unmeasured } from '../domain/quiet.ts'
import type { KafkaSettings } from '../kafka/client.ts'
import { connectKafka } from '../kafka/kafka.ts'
import { fromRecord } from '../kafka/records.ts'
import { sleep } from '../shared/time.ts'
import { defaultLimits, type Limits, respond } from './conversation.ts'
import { forgetWith } from './forget.ts'
import type { Handlers } from './handlers.ts'
import { worker } from './worker.ts'

export type BotOptions = Partial<Pick<KafkaSettings, 'ssl' | 'sasl' | 'topicPrefix'>> & {
  /** Each is `host:port`. */
  readonly brokers: ReadonlyArray<string>
  /**
   * The consumer group, exactly as given: the kit does not put `topicPrefix` before it. Bots of one group, in any
   * language, share the chats. A bot with its own group reads and answers all chats, in addition to the other groups.
   */
  readonly group: string
  readonly limits?: Partial<Limits>
  /** Gets handler errors with message and stack, and why the bridge would not send replies. Default: console. */
  readonly log?: Log
}

const print = (fields: object, message: string) => console.error(`bot: ${message}`, fields)
const consoleLog: Log = { debug: () => {}, info: print, warn: print, error: print }

/**
 * Runs a bot until `stop`, which first finishes the replies in progress. It reads bot-conversations and publishes to
 * bot-replies. It sets keys, ids and `inReplyTo`, keeps the order per chat, and retries. A duplicate event gets no
 * second reply.
 */
export const startBot = async (
  handlers: Handlers,
  { brokers, group, topicPrefix = 'livechat.', ssl = false, sasl, limits, log = consoleLog }: BotOptions,
): Promise<{ readonly stop: () => Promise<void> }> => {
  const now = () => new Date().toISOString() as Instant
  const kafka = connectKafka(
    {
      brokers,
      ssl,
      ...(sasl && { sasl }),
      clientId: `livechat-bot-${group}`,
      topicPrefix,
      groupPrefix: '',
      partitions: 1,
    },
    { log, measure: unmeasured, now },
  )
  const answer = respond(handlers, group, { ...defaultLimits, ...limits }, Date.now, log)
  const consumer = await kafka.consume({
    group,
    topics: [botConversations.name],
    commit: 'when-handled',
    handle: worker({
      decode: fromRecord,
      respond: answer,
      forget: forgetWith(handlers, group, now, log),
      append: kafka.append,
      sleep,
      log,
    }),
  })
  return {
    stop: async () => {
      await consumer.stop()
      await kafka.stop()
    },
  }
}

export type { Answer, Handlers } from './handlers.ts'
export { buttons, handOver, markdown, type Reply, text } from './replies.ts'
