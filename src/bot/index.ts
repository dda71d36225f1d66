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
  /** `host:port` each. */
  readonly brokers: ReadonlyArray<string>
  /**
   * The consumer group, exactly as given: `topicPrefix` does not stand before it. Bots of one group, in whatever language, share
   * the chats; a group of its own hears and answers all of them, beside the others.
   */
  readonly group: string
  readonly limits?: Partial<Limits>
  /** Where errors of handlers go, with message and stack, and what the bridge would not send; the console by default. */
  readonly log?: Log
}

const print = (fields: object, message: string) => console.error(`bot: ${message}`, fields)
const consoleLog: Log = { debug: () => {}, info: print, warn: print, error: print }

/**
 * Runs a bot until `stop`, which finishes the answers under way. It reads bot-conversations and publishes on bot-replies:
 * keys, ids, `inReplyTo`, order per chat and repeats are taken care of. An event that comes twice is answered once.
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
