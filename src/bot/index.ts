import type { ConversationEvent } from '../../contracts/events/index.ts'
import type { Instant } from '../../contracts/primitives.ts'
import { botConversations } from '../../contracts/topics.ts'
import { unmeasured } from '../bridge/domain/metrics.ts'
import type { KafkaSettings } from '../bridge/kafka/client.ts'
import { connectKafka } from '../bridge/kafka/kafka.ts'
import { fromRecord } from '../bridge/kafka/records.ts'
import type { Log } from '../bridge/shared/log.ts'
import { semaphore } from '../bridge/shared/semaphore.ts'
import { sleep } from '../bridge/shared/time.ts'
import { settled, within } from '../bridge/shared/timeout.ts'
import { createChat } from './chat.ts'
import { otherAnswers } from './commands.ts'
import { defaultLimits, defaultTurns, type Limits, limitsProblemOf, type Turns } from './conversation.ts'
import { forgetWith } from './forget.ts'
import type { Handlers, Outcome } from './handlers.ts'
import { type HistorySource, historyOver, noHistory } from './history.ts'
import { problemOfNode } from './mistakes.ts'
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
  /** Where `history(n)` of the handlers reads. Without it the bot knows only its own events. */
  readonly history?: HistorySource
  /** When a turn of `onTurn` is complete. Default: 1.2 s without a message, 5 s at most. */
  readonly turns?: Turns
  /** Gets handler errors with message and stack, and why the bridge would not send replies. Default: console. */
  readonly log?: Log
}

const print = (fields: object, message: string) => console.error(`bot: ${message}`, fields)
const consoleLog: Log = { debug: () => {}, info: print, warn: print, error: print }

/** Below `replyWithin`: after a crash another instance takes the chats over before the bridge invites agents. */
const sessionTimeoutMs = 6_000
const reachableWithinMs = 15_000
/** The consumers' own limit for a stop is 9 s. */
const finishWithinMs = 8_000

/**
 * Runs a bot until `stop`, which first finishes the replies in progress. It reads bot-conversations and publishes to
 * bot-replies. It sets keys, ids and `inReplyTo`, keeps the order per chat, and retries. Chats are handled side by
 * side. A duplicate event gets no second reply. Rejects if the settings cannot work, or if no broker can be reached.
 */
export const startBot = async (
  handlers: Handlers,
  {
    brokers,
    group,
    topicPrefix = 'livechat.',
    ssl = false,
    sasl,
    limits: given,
    turns = defaultTurns,
    history,
    log = consoleLog,
  }: BotOptions,
): Promise<{ readonly stop: () => Promise<void> }> => {
  const now = () => new Date().toISOString() as Instant
  const limits = { ...defaultLimits, ...given }
  const problemWithNode = problemOfNode(process.versions.node)
  if (problemWithNode !== undefined) throw new Error(problemWithNode)
  if (group.trim() === '') throw new TypeError('group: expected the name of the consumer group that your bots share')
  const problem = handlers.onTurn === undefined ? undefined : limitsProblemOf(limits, turns)
  if (problem !== undefined) throw new TypeError(problem)
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
  const isReachable = await within(
    reachableWithinMs,
    kafka.endOffsets(botConversations.name).then(
      () => true,
      () => false,
    ),
    () => false,
  )
  if (!isReachable) {
    await kafka.stop()
    throw new Error(`${topicPrefix}${botConversations.name} cannot be read: is a broker at ${brokers.join(', ')}?`)
  }
  const stopping = new AbortController()
  const acquire = semaphore(limits.atOnce)
  let hasIgnored = false
  const ignore = ({ time }: ConversationEvent) => {
    if (!hasIgnored)
      log.info(
        { ignoreOlderThan: limits.ignoreOlderThan, time },
        'events older than limits.ignoreOlderThan are ignored; this is logged once',
      )
    hasIgnored = true
  }
  const isOtherAnswer = otherAnswers(group)
  let hasNoticed = false
  const notice = (outcome: Outcome) => {
    if (!isOtherAnswer(outcome)) return
    const { accountId, chatId, commandId, inReplyTo } = outcome.data
    if (!hasNoticed)
      log.warn(
        { group, accountId, chatId, commandId, inReplyTo },
        'another command answers the same message: does a bot with another group run? Each group answers all chats; this is logged once',
      )
    hasNoticed = true
  }
  const readHistory = history === undefined ? noHistory : historyOver(history, sleep)
  const running = worker({
    decode: fromRecord,
    newChat: () =>
      createChat({
        handlers,
        group,
        limits,
        turns,
        acquire,
        monotonic: () => performance.now(),
        now: Date.now,
        sleep,
        readHistory,
        log,
        ignore,
        notice,
        stopping: stopping.signal,
      }),
    forget: forgetWith(handlers, group, now, log),
    append: kafka.append,
    sleep,
    log,
    stopping: stopping.signal,
  })
  const consumer = await kafka.consume({
    group,
    topics: [botConversations.name],
    commit: 'by-handler',
    sessionTimeoutMs,
    handle: running.handle,
  })
  return {
    stop: async () => {
      stopping.abort()
      await settled(running.idle(), finishWithinMs)
      await consumer.stop()
      await kafka.stop()
    },
  }
}

export type { HistoryMessage } from '../../contracts/http.ts'
export type { Limits, Turns } from './conversation.ts'
export type { Answer, ChatAccess, Handlers, NoAnswer, Outcome, Turn } from './handlers.ts'
export { type HistorySource, type ModelMessage, toMessages } from './history.ts'
export { withoutPersonalData } from './personal.ts'
export * from './replies.ts'
