import * as E from 'fp-ts/lib/Either.js'
import type { ConversationEvent } from '../../../../contracts/events/index.ts'
import type { Id, Instant } from '../../../../contracts/primitives.ts'
import { botConversations, botReplies } from '../../../../contracts/topics.ts'
import type { KafkaPorts } from '../../../bridge/kafka/kafka.ts'
import { toRecord } from '../../../bridge/kafka/records.ts'
import type { Conversing } from '../chat.ts'
import type { Bot } from '../in-process/bot-process.ts'
import type { Answer } from '../judge.ts'
import type { Turn } from '../turns.ts'
import { followCommits } from './commits.ts'
import { recordsRead } from './records-read.ts'
import { answerOf } from './replies.ts'

const retentionDays = 1
const appendWithinMs = 30_000

/** The event as the bot gets it, in a chat of its own if the chat was played before. */
export const named = (event: ConversationEvent, suffix: string): ConversationEvent => {
  const chatId = `${event.data.chatId}${suffix}` as Id
  const { traceparent: _, ...rest } = event
  return {
    ...rest,
    id: `${event.id}${suffix === '' ? '' : `-${suffix}`}` as Id,
    subject: chatId,
    // The clocks of the bot are real: it would ignore old events.
    time: new Date().toISOString() as Instant,
    data: { ...event.data, chatId },
  } as ConversationEvent
}

/** The prefix of the topics between what-if and the bots of a group. */
export const prefixFor = (prefix: string, group: string): string => `${prefix}what-if.${group}.`

/**
 * A bot in any language, over two temporary topics. Each chat's turn is published when the bot has committed the turn
 * before. Then what it has published by that time is its answer.
 */
export const startGroup = async ({
  kafka,
  prefix,
  group,
  partitions,
  replyWithin,
  ready,
  signal,
}: {
  readonly kafka: Pick<KafkaPorts, 'withPrefix' | 'createTopic' | 'deleteTopics'>
  /** Of the bridge. */
  readonly prefix: string
  /** The bot's consumer group, exactly as the bot has it. */
  readonly group: string
  readonly partitions: number
  /** In ms. */
  readonly replyWithin: number
  /** Called when the bot can be started. `topic`: what it reads. */
  readonly ready: (topics: { readonly prefix: string; readonly topic: string }) => void
  readonly signal: AbortSignal
}): Promise<E.Either<string, Bot>> => {
  const own = prefixFor(prefix, group)
  const topics = [`${own}${botConversations.name}`, `${own}${botReplies.name}`]
  const created: string[] = []
  for (const topic of topics)
    if (await kafka.createTopic(topic, botConversations.name, partitions, retentionDays)) created.push(topic)
  if (created.length < topics.length) {
    await kafka.deleteTopics(created)
    return E.left(`${topics.join(' or ')} exists: another run uses this group. If none does, delete both topics.`)
  }
  const room = kafka.withPrefix(own, '')
  const records = recordsRead(signal)
  const consumer = await room.consume({
    group: `what-if-${group}`,
    alone: true,
    topics: [botConversations.name, botReplies.name],
    commit: 'by-handler',
    startAt: async () => 0,
    handle: async (slice) => {
      for (const record of slice.records)
        if (slice.topic === botReplies.name) records.takeReply(record)
        else records.takeEvent(record)
    },
  })
  ready({ prefix: own, topic: `${own}${botConversations.name}` })

  const commits = followCommits({
    committed: () => room.committedOffsets(group, botConversations.name),
    readReplies: async () => records.repliesUpTo(await room.endOffsets(botReplies.name)),
    replyWithin,
    signal,
  })

  const publish = async (event: ConversationEvent): Promise<void> => {
    const appended = await room.append(toRecord(event), appendWithinMs)
    if (E.isLeft(appended)) throw new Error(`${topics[0]}: ${appended.left.reason}`)
  }
  const ask = async ({ before, events }: Turn, suffix: string): Promise<Answer> => {
    const [all, asked] = [before.map((event) => named(event, suffix)), events.map((event) => named(event, suffix))]
    for (const event of all) if (!event.type.startsWith('BotReply')) await publish(event)
    const publishedAt = Date.now()
    for (const event of asked) await publish(event)
    const last = asked.at(-1)
    if (last === undefined) return { replies: [], ms: 0 }
    const key = `${last.data.accountId}/${last.data.chatId}`
    const finished = await commits.isCommitted(await records.placeOf(key, last.id))
    if (signal.aborted) throw new Error('it was interrupted')
    const firstCommitAt = commits.firstCommitAt()
    if (firstCommitAt === undefined) throw new Error(`no bot of the group ${group} has read ${topics[0]}`)
    const ids = new Set<string>(asked.map(({ id }) => id))
    const given = records.answers(
      key,
      ids,
      [...all, ...asked].map(({ id }) => id),
    )
    if (!finished && given.length === 0) {
      const reason = `no answer within ${replyWithin} ms`
      return { replies: [], failing: { verdict: 'slow', reason }, ms: Date.now() - publishedAt }
    }
    return answerOf(last, given, Math.max(publishedAt, firstCommitAt), replyWithin)
  }

  const times = new Map<string, number>()
  return E.right({
    converse: (): Conversing => {
      let suffix: string | undefined
      return {
        ask: (turn) => {
          if (suffix === undefined) {
            const { chatId } = turn.events[0].data
            const before = times.get(chatId) ?? 0
            times.set(chatId, before + 1)
            suffix = before === 0 ? '' : String(before).padStart(4, '0')
          }
          return ask(turn, suffix)
        },
        end: () => {},
      }
    },
    stop: async () => {
      await commits.stop()
      await consumer.stop()
      await room.stop()
      await kafka.deleteTopics(topics)
    },
  })
}
