import * as E from 'fp-ts/lib/Either.js'
import type { BotReply } from '../../contracts/commands/bot-reply.ts'
import { enrichmentKey } from '../../contracts/commands/enrichment.ts'
import type { ErasureConfirmation } from '../../contracts/commands/erasure-confirmation.ts'
import type { ChatErased, ConversationEvent, DomainEvent } from '../../contracts/events/index.ts'
import { botConversations, botReplies, enrichments, erasureConfirmations, topicOf } from '../../contracts/topics.ts'
import { traceparentIn } from '../bridge/adapters/tracing.ts'
import type { HandleSlice, OwnedPartition } from '../bridge/domain/log/consumer.ts'
import type { Append, IncomingRecord, OutgoingRecord } from '../bridge/domain/log/record.ts'
import type { Log } from '../bridge/shared/log.ts'
import { offsetTracker } from '../bridge/shared/offset-tracker.ts'
import type { Sleep } from '../bridge/shared/time.ts'
import { within } from '../bridge/shared/timeout.ts'
import { workInProgress } from '../bridge/shared/work-in-progress.ts'
import type { Chat } from './chat.ts'
import type { Received } from './chat-queue.ts'
import { enrichmentOf } from './note.ts'
import type { Note } from './replies.ts'

/** The events that this bot reads from a partition while it owns the partition. */
type PartitionWork = {
  readonly isOwned: () => boolean
  /** False for an offset that was taken before. Pauses the partition while too much is in progress. */
  readonly take: (offset: number, chat: string) => boolean
  readonly finish: (offset: number, chat: string) => void
  readonly end: () => void
}

const partitionWork = (owned: OwnedPartition): PartitionWork => {
  const offsets = offsetTracker()
  const inProgress = workInProgress()
  let hasEnded = false
  let resume: (() => void) | undefined

  const isOwned = () => !hasEnded && owned.isCurrent()
  const resumeIfPaused = () => {
    resume?.()
    resume = undefined
  }
  return {
    isOwned,
    take: (offset, chat) => {
      const isNew = offsets.take(offset)
      if (isNew) inProgress.begin(chat)
      if (inProgress.isTooMuch()) resume ??= owned.pause()
      return isNew
    },
    finish: (offset, chat) => {
      const upTo = offsets.finish(offset)
      inProgress.end(chat)
      if (!isOwned()) return
      if (upTo !== undefined) owned.done(upTo)
      if (inProgress.isLessThanHalf()) resumeIfPaused()
    },
    end: () => {
      hasEnded = true
      resumeIfPaused()
    },
  }
}

/** What this bot reads of a partition while it owns it. */
type Part = {
  readonly owner: OwnedPartition
  readonly work: PartitionWork
  readonly chats: Map<string, Chat>
}

export type Worker = {
  readonly handle: HandleSlice
  /** Resolves when every event that was taken is finished. */
  readonly idle: () => Promise<void>
}

const appendWithinMs = 5000

/** The record of a command. Its key is the chat, so replies stay in order. It continues the trace of the event. */
const recordOf = (command: BotReply, traceparent: string | undefined): OutgoingRecord => ({
  topic: botReplies.name,
  key: `${command.accountId}/${command.chatId}`,
  value: JSON.stringify(command),
  headers: { 'content-type': 'application/json', ...(traceparent && { traceparent }) },
})

/** The record with which the bridge shows a note to the agent who accepts the chat. */
const noteOf = ({ accountId, chatId }: ConversationEvent['data'], note: Note): OutgoingRecord => ({
  topic: enrichments.name,
  key: enrichmentKey(accountId, 'chatId', chatId),
  value: JSON.stringify(enrichmentOf(note)),
  headers: { 'content-type': 'application/json' },
})

/** In ms. The hand-over does not wait longer for its note. */
const noteWithin = 2_000

/** The record that shows the bridge's operators which group has forgotten a person. */
const confirmationOf = (confirmation: ErasureConfirmation): OutgoingRecord => ({
  topic: erasureConfirmations.name,
  key: `${confirmation.accountId}/${confirmation.clientId ?? confirmation.chatId}`,
  value: JSON.stringify(confirmation),
  headers: { 'content-type': 'application/json' },
})

const isConversation = (event: DomainEvent): event is ConversationEvent =>
  event.type !== 'ChatErased' && topicOf(event) === botConversations

/**
 * Handles bot-conversations: chats side by side, the events of a chat in order. An offset is committed when its event
 * and all before it are finished, so a bot that ends in between loses nothing. While too many events are unfinished,
 * their partition is not read on.
 */
export const worker = ({
  decode,
  newChat,
  forget,
  append,
  sleep,
  log,
  stopping,
}: {
  readonly decode: (record: IncomingRecord) => E.Either<unknown, DomainEvent>
  readonly newChat: () => Chat
  /** Forgets a chat. Resolves with the confirmation, or with undefined if the bot has forgotten nothing. */
  readonly forget: (event: ChatErased) => Promise<ErasureConfirmation | undefined>
  readonly append: Append
  readonly sleep: Sleep
  readonly log: Log
  /** Aborts when the bot stops: what is read then is left to the next owner. */
  readonly stopping: AbortSignal
}): Worker => {
  const partitions = new Map<number, Part>()

  const partOf = (partition: number, owner: OwnedPartition): Part => {
    const before = partitions.get(partition)
    if (before?.owner === owner) return before
    before?.work.end()
    const part = {
      owner,
      work: partitionWork(owner),
      chats: new Map<string, Chat>(),
    }
    partitions.set(partition, part)
    return part
  }
  const publish = async (record: OutgoingRecord, isCurrent: () => boolean): Promise<void> => {
    while (isCurrent()) {
      const appended = await append(record, appendWithinMs)
      if (E.isRight(appended)) return
      const { kind, reason } = appended.left
      if (kind !== 'transient') {
        log.error({ topic: record.topic, reason }, 'a record was refused and is not published')
        return
      }
      log.warn({ topic: record.topic, reason }, 'a record could not be published yet')
      await sleep(200)
    }
  }
  const chatOf = ({ chats }: Part, key: string): Chat => {
    const known = chats.get(key)
    if (known !== undefined) return known
    const chat = newChat()
    chats.set(key, chat)
    return chat
  }
  /** A chat without events is forgotten: a bot sees more chats than it has memory for. */
  const withChat = (part: Part, key: string, tell: (chat: Chat) => void) => {
    const chat = chatOf(part, key)
    tell(chat)
    void chat.idle().then(() => {
      if (part.chats.get(key) === chat && chat.isIdle()) part.chats.delete(key)
    })
  }
  const forgetIn = async (event: ChatErased, { work }: Part): Promise<void> => {
    const confirmation = await forget(event)
    if (confirmation !== undefined) await publish(confirmationOf(confirmation), work.isOwned)
  }
  return {
    handle: async ({ partition, records }, owner) => {
      const part = partOf(partition, owner)
      const { work } = part
      for (const record of records) {
        if (stopping.aborted) return
        const key = record.key?.toString() ?? ''
        if (!work.take(record.offset, key)) continue
        const finish = () => work.finish(record.offset, key)
        const event = decode(record)
        if (E.isLeft(event)) {
          log.warn(
            { topic: record.topic, partition, offset: record.offset },
            'an event cannot be decoded and is skipped',
          )
          finish()
        } else if (event.right.type === 'ChatErased') {
          const erasure = event.right
          withChat(part, key, ({ erase }) => erase({ event: erasure, forget: () => forgetIn(erasure, part), finish }))
        } else if (isConversation(event.right)) {
          const { data: conversationData } = event.right
          const received: Received = {
            event: event.right,
            traceparent: traceparentIn(record),
            publish: (command, traceparent) => publish(recordOf(command, traceparent), work.isOwned),
            attach: (note) =>
              within(noteWithin, publish(noteOf(conversationData, note), work.isOwned), () =>
                log.warn({ topic: enrichments.name }, 'a note is late: the client is handed over without it'),
              ),
            finish,
          }
          withChat(part, key, ({ receive }) => receive(received))
        } else finish()
      }
    },
    idle: async () => {
      await Promise.all([...partitions.values()].flatMap(({ chats }) => [...chats.values()].map((chat) => chat.idle())))
    },
  }
}
