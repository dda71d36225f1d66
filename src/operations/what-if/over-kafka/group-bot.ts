import * as E from 'fp-ts/lib/Either.js'
import type { ConversationEvent } from '../../../../contracts/events/index.ts'
import type { Id, Instant } from '../../../../contracts/primitives.ts'
import { botConversations, botReplies } from '../../../../contracts/topics.ts'
import type { IncomingRecord } from '../../../domain/ports.ts'
import type { KafkaPorts } from '../../../kafka/kafka.ts'
import { toRecord } from '../../../kafka/records.ts'
import { sleep } from '../../../shared/time.ts'
import type { Conversing } from '../chat.ts'
import type { Bot } from '../in-process/bot-process.ts'
import type { Answer } from '../judge.ts'
import type { Turn } from '../turns.ts'
import { answerOf, type Command, commandOf } from './replies.ts'

type Deps = {
  readonly kafka: Pick<KafkaPorts, 'withPrefix' | 'createTopic' | 'deleteTopics'>
  /** Of the bridge. */
  readonly prefix: string
  /** The bot's consumer group, exactly as the bot has it. */
  readonly group: string
  readonly partitions: number
  /** In ms. */
  readonly replyWithin: number
  readonly say: (line: string) => void
  readonly signal: AbortSignal
}

const retentionDays = 1
const appendWithinMs = 30_000
const lookEveryMs = 100
/** In ms: so long the first message waits for a bot that starts. */
const startWithinMs = 120_000
/** In ms, beyond twice `replyWithin`: a bot that announces its answer has twice the time. */
const graceMs = 5_000

/** Before which offset of its partition the bot must have committed, and what is called then or too late. */
type Waiting = {
  readonly partition: number
  readonly offset: number
  readonly done: (isCommitted: boolean) => void
  readonly until: number
}

const named = (event: ConversationEvent, suffix: string): ConversationEvent => {
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
export const startGroup = async (deps: Deps): Promise<E.Either<string, Bot>> => {
  const { kafka, prefix, group, partitions, replyWithin, say, signal } = deps
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
  const offsets = new Map<string, { readonly partition: number; readonly offset: number }>()
  const commands = new Map<string, Command[]>()
  const read = new Map<number, number>()
  const waiting = new Set<Waiting>()
  /** A bot that is still starting is not slow: no turn is timed from before that. */
  let firstCommitAt: number | undefined

  const takeEvent = ({ headers, key, partition, offset }: IncomingRecord) =>
    void offsets.set(`${key} ${headers.ce_id}`, { partition, offset })
  const takeReply = (record: IncomingRecord) => {
    const [key, command] = [`${record.key}`, commandOf(record)]
    const known = commands.get(key) ?? []
    if (!known.some(({ id }) => id === command.id)) commands.set(key, [...known, command])
    read.set(record.partition, record.offset + 1)
  }
  const consumer = await room.consume({
    group: `what-if-${group}`,
    alone: true,
    topics: [botConversations.name, botReplies.name],
    commit: 'by-handler',
    startAt: async () => 0,
    handle: async ({ topic, records }) => {
      for (const record of records)
        if (topic === botReplies.name) takeReply(record)
        else takeEvent(record)
    },
  })
  say(`Start the bot with TOPIC_PREFIX=${own} and GROUP=${group}; it reads ${topics[0]}.`)

  /** Waits until everything is read that the bot had published at the call. */
  const readReplies = async () => {
    const ends = await room.endOffsets(botReplies.name)
    const isThere = () => [...ends].every(([partition, end]) => (read.get(partition) ?? 0) >= end)
    // A transaction's marker takes an offset and is never read.
    for (let tries = 40; tries > 0 && !isThere(); tries--) await sleep(50)
  }
  const stopping = new AbortController()
  const look = async () => {
    while (!stopping.signal.aborted) {
      await sleep(lookEveryMs, stopping.signal)
      if (waiting.size === 0) continue
      try {
        const committed = await room.committedOffsets(group, botConversations.name)
        if (committed.size > 0) firstCommitAt ??= Date.now()
        const due = [...waiting].filter(({ partition, offset }) => (committed.get(partition) ?? 0) > offset)
        if (due.length > 0) await readReplies()
        for (const each of due) each.done(true)
      } catch {
        // Kafka is unavailable for a moment. Whoever waits too long says so.
      }
      for (const each of waiting) if (signal.aborted || performance.now() > each.until) each.done(false)
    }
  }
  const looking = look()

  const publish = async (event: ConversationEvent): Promise<void> => {
    const appended = await room.append(toRecord(event), appendWithinMs)
    if (E.isLeft(appended)) throw new Error(`${topics[0]}: ${appended.left.reason}`)
  }
  const placeOf = async (key: string) => {
    for (;;) {
      const place = offsets.get(key)
      if (place !== undefined) return place
      if (signal.aborted) throw new Error('it was interrupted')
      await sleep(10)
    }
  }
  const isFinished = async (event: ConversationEvent, key: string): Promise<boolean> => {
    const place = await placeOf(`${key} ${event.id}`)
    const withinMs = firstCommitAt !== undefined ? 2 * replyWithin + graceMs : startWithinMs
    return new Promise((resolve) => {
      const one: Waiting = {
        ...place,
        until: performance.now() + withinMs,
        done: (isCommitted) => {
          waiting.delete(one)
          resolve(isCommitted)
        },
      }
      waiting.add(one)
    })
  }
  const ask = async ({ before, events }: Turn, suffix: string): Promise<Answer> => {
    const [all, asked] = [before.map((event) => named(event, suffix)), events.map((event) => named(event, suffix))]
    for (const event of all) if (!event.type.startsWith('BotReply')) await publish(event)
    const publishedAt = Date.now()
    for (const event of asked) await publish(event)
    const last = asked.at(-1)
    if (last === undefined) return { replies: [], ms: 0 }
    const key = `${last.data.accountId}/${last.data.chatId}`
    const finished = await isFinished(last, key)
    if (signal.aborted) throw new Error('it was interrupted')
    if (firstCommitAt === undefined) throw new Error(`no bot of the group ${group} has read ${topics[0]}`)
    const ids = new Set<string>(asked.map(({ id }) => id))
    const given = (commands.get(key) ?? []).filter(({ inReplyTo }) => inReplyTo === undefined || ids.has(inReplyTo))
    commands.delete(key)
    for (const { id } of [...all, ...asked]) offsets.delete(`${key} ${id}`)
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
      stopping.abort()
      await looking
      await consumer.stop()
      await room.stop()
      await kafka.deleteTopics(topics)
    },
  })
}
