import * as E from 'fp-ts/lib/Either.js'
import type { BotReply } from '../../contracts/commands/bot-reply.ts'
import type { ErasureConfirmation } from '../../contracts/commands/erasure-confirmation.ts'
import type { ChatErased, ConversationEvent, DomainEvent } from '../../contracts/events/index.ts'
import { botConversations, botReplies, erasureConfirmations, topicOf } from '../../contracts/topics.ts'
import type { Append, HandleSlice, IncomingRecord, Log, OutgoingRecord, Sleep } from '../domain/ports.ts'
import { traceparentIn } from '../domain/tracing.ts'

export type Deps = {
  readonly decode: (record: IncomingRecord) => E.Either<unknown, DomainEvent>
  readonly respond: (event: ConversationEvent) => Promise<ReadonlyArray<BotReply>>
  /** Forgets a chat. Resolves with the confirmation, or with undefined if the bot has forgotten nothing. */
  readonly forget: (event: ChatErased) => Promise<ErasureConfirmation | undefined>
  readonly append: Append
  readonly sleep: Sleep
  readonly log: Log
}

const appendWithinMs = 5000

/** The record of a command. Its key is the chat, so replies stay in order. It continues the trace of the event. */
export const recordOf = (command: BotReply, traceparent: string | undefined): OutgoingRecord => ({
  topic: botReplies.name,
  key: `${command.accountId}/${command.chatId}`,
  value: JSON.stringify(command),
  headers: { 'content-type': 'application/json', ...(traceparent && { traceparent }) },
})

/** The record that shows the bridge's operators which group has forgotten a person. */
const confirmationOf = (confirmation: ErasureConfirmation): OutgoingRecord => ({
  topic: erasureConfirmations.name,
  key: `${confirmation.accountId}/${confirmation.clientId ?? confirmation.chatId}`,
  value: JSON.stringify(confirmation),
  headers: { 'content-type': 'application/json' },
})

const isConversation = (event: DomainEvent): event is ConversationEvent =>
  event.type !== 'ChatErased' && topicOf(event) === botConversations

const byChat = (records: ReadonlyArray<IncomingRecord>) => Map.groupBy(records, ({ key }) => key?.toString() ?? '')

/**
 * Replies to the events of a slice of bot-conversations: chats in parallel, the events of a chat in order. Resolves
 * when Kafka has each command, or has refused it permanently, or when another consumer has the partition.
 */
export const worker = ({ decode, respond, forget, append, sleep, log }: Deps): HandleSlice => {
  const publish = async (record: OutgoingRecord, isCurrent: () => boolean): Promise<void> => {
    while (isCurrent()) {
      const appended = await append(record, appendWithinMs)
      if (E.isRight(appended)) return
      log.warn({ topic: record.topic, reason: appended.left.reason }, 'a record could not be published yet')
      if (appended.left.kind !== 'transient') return
      await sleep(200)
    }
  }
  return async ({ records }, { isCurrent }) => {
    const chats = [...byChat(records).values()].map(async (chat) => {
      for (const record of chat) {
        const event = decode(record)
        if (E.isLeft(event)) continue
        if (event.right.type === 'ChatErased') {
          const confirmation = await forget(event.right)
          if (confirmation !== undefined) await publish(confirmationOf(confirmation), isCurrent)
        } else if (isConversation(event.right))
          for (const command of await respond(event.right))
            await publish(recordOf(command, traceparentIn(record)), isCurrent)
      }
    })
    await Promise.all(chats)
  }
}
