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
  /** Forgets a chat; resolves with what says so, or with undefined where nothing was forgotten. */
  readonly forget: (event: ChatErased) => Promise<ErasureConfirmation | undefined>
  readonly append: Append
  readonly sleep: Sleep
  readonly log: Log
}

const appendWithinMs = 5000

/** The record of a command: its key is its chat's, so that replies stay in order; it goes on with the trace of what it answers. */
export const recordOf = (command: BotReply, traceparent: string | undefined): OutgoingRecord => ({
  topic: botReplies.name,
  key: `${command.accountId}/${command.chatId}`,
  value: JSON.stringify(command),
  headers: { 'content-type': 'application/json', ...(traceparent && { traceparent }) },
})

/** The record that tells the bridge's operators who has forgotten a person. */
const confirmationOf = (confirmation: ErasureConfirmation): OutgoingRecord => ({
  topic: erasureConfirmations.name,
  key: `${confirmation.accountId}/${confirmation.clientId ?? confirmation.chatId}`,
  value: JSON.stringify(confirmation),
  headers: { 'content-type': 'application/json' },
})

const isConversation = (event: DomainEvent): event is ConversationEvent =>
  event.type !== 'ChatErased' && topicOf(event) === botConversations

const byChat = (records: ReadonlyArray<IncomingRecord>) => Map.groupBy(records, ({ key }) => key?.toString() ?? '')

/** Answers a slice of bot-conversations: chats side by side, each in its order; resolves when every command is durable. */
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
