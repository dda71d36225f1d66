import * as E from 'fp-ts/lib/Either.js'
import type { BotReply } from '../../contracts/commands/bot-reply.ts'
import type { ConversationEvent, DomainEvent } from '../../contracts/events/index.ts'
import { botConversations, botReplies, topicOf } from '../../contracts/topics.ts'
import type { Append, HandleSlice, IncomingRecord, Log, OutgoingRecord, Sleep } from '../domain/ports.ts'

export type Deps = {
  readonly decode: (record: IncomingRecord) => E.Either<unknown, DomainEvent>
  readonly respond: (event: ConversationEvent) => Promise<ReadonlyArray<BotReply>>
  readonly append: Append
  readonly sleep: Sleep
  readonly log: Log
}

const appendWithinMs = 5000

/** The record of a command: its key is its chat's, so that replies stay in order. */
export const recordOf = (command: BotReply): OutgoingRecord => ({
  topic: botReplies.name,
  key: `${command.accountId}/${command.chatId}`,
  value: JSON.stringify(command),
  headers: { 'content-type': 'application/json' },
})

const isConversation = (event: DomainEvent): event is ConversationEvent => topicOf(event) === botConversations

const byChat = (records: ReadonlyArray<IncomingRecord>) => Map.groupBy(records, ({ key }) => key?.toString() ?? '')

/** Answers a slice of bot-conversations: chats side by side, each in its order; resolves when every command is durable. */
export const worker = ({ decode, respond, append, sleep, log }: Deps): HandleSlice => {
  const publish = async (command: BotReply, isCurrent: () => boolean): Promise<void> => {
    while (isCurrent()) {
      const appended = await append(recordOf(command), appendWithinMs)
      if (E.isRight(appended)) return
      log.warn({ commandId: command.id, reason: appended.left.reason }, 'a reply could not be published yet')
      if (appended.left.kind !== 'transient') return
      await sleep(200)
    }
  }
  return async ({ records }, { isCurrent }) => {
    const chats = [...byChat(records).values()].map(async (chat) => {
      for (const record of chat) {
        const event = decode(record)
        if (E.isLeft(event) || !isConversation(event.right)) continue
        for (const command of await respond(event.right)) await publish(command, isCurrent)
      }
    })
    await Promise.all(chats)
  }
}
