import * as E from 'fp-ts/lib/Either.js'
import { MongoClient } from 'mongodb'
import type {
  BotReplyDelivered,
  BotReplyFailed,
  BotReplySuppressed,
  DomainEvent,
} from '../../../contracts/events/index.ts'
import { botReplies } from '../../../contracts/topics.ts'
import type { IncomingRecord } from '../../../src/bridge/domain/log/record.ts'
import { fromRecord } from '../../../src/bridge/kafka/records.ts'
import { eventually } from '../../support/eventually.ts'
import { plainClient } from '../../support/plain-consumer.ts'
import type { ObservedWorld } from './observed-world.ts'
import type { SentReply } from './reply-checker.ts'

/** This many replies for each chat, in order within a chat. */
export const repliesTo = (chats: ReadonlyArray<string>, perChat: number): ReadonlyArray<SentReply> =>
  Array.from({ length: perChat }, (_, i) => i + 1).flatMap((seq) =>
    chats.map((chat) => ({ chat, id: `r-${chat}-${seq}`, text: `reply ${seq} to ${chat}` })),
  )

const recordOf = ({ account = 'acme', chat, id, text }: SentReply) => ({
  key: `${account}/${chat}`,
  value: JSON.stringify({
    type: 'BotMessage',
    id,
    accountId: account,
    chatId: chat,
    clientId: chat,
    message: { type: 'TEXT', text },
  }),
})

/** Bot logic from the view of egress: a producer on bot-replies, without the project's own code. */
export const botLogic = async ({ brokers, prefix }: ObservedWorld) => {
  const producer = plainClient(brokers).producer()
  await producer.connect()
  return {
    /** Resolves when they are durable. */
    say: async (replies: ReadonlyArray<SentReply>) => {
      await producer.send({ topic: prefix + botReplies.name, messages: replies.map(recordOf) })
    },
    stop: () => producer.disconnect(),
  }
}

export type Outcome = BotReplyDelivered | BotReplyFailed | BotReplySuppressed

export const eventsIn = (log: ReadonlyArray<IncomingRecord>): ReadonlyArray<DomainEvent> =>
  log.map(fromRecord).flatMap((event) => (E.isRight(event) ? [event.right] : []))

export const outcomesIn = (log: ReadonlyArray<IncomingRecord>): ReadonlyArray<Outcome> =>
  eventsIn(log).flatMap((event) =>
    event.type === 'BotReplyDelivered' || event.type === 'BotReplyFailed' || event.type === 'BotReplySuppressed'
      ? [event]
      : [],
  )

/** Waits until this many of bot logic's replies have an outcome in the views; false if that takes too long. */
export const areFinished = async ({ mongo }: ObservedWorld, count: number, withinMs: number): Promise<boolean> => {
  await using client = await MongoClient.connect(mongo.url)
  const finished = { state: { $ne: 'pending' }, because: { $exists: false } }
  const deliveries = client.db().collection('deliveries')
  return await eventually(
    'the replies to be finished',
    async () => (await deliveries.countDocuments(finished)) >= count || undefined,
    withinMs,
  ).then(
    () => true,
    () => false,
  )
}
