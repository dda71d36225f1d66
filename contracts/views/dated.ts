import { ChatMessage } from '../events/chat.ts'
import { Message } from '../events/message.ts'
import { Attempt } from '../events/reply.ts'
import { BsonDate, type Instant, replacing, replacingOptional } from '../primitives.ts'

/** The type of an event's data in documents: dates replace its times. */
export type Dated<T> = T extends Instant
  ? Date
  : T extends string | number | boolean
    ? T
    : T extends ReadonlyArray<infer Item>
      ? Array<Dated<Item>>
      : T extends object
        ? { [K in keyof T]: Dated<T[K]> }
        : T

const timestamp = { timestamp: BsonDate }

/** One entry of a finished chat's log, in a document. */
export const DatedChatMessage = replacingOptional(ChatMessage, timestamp, 'DatedChatMessage')

/** A message of a bot conversation, in a document. */
export const DatedMessage = replacingOptional(Message, timestamp, 'DatedMessage')

/** One request to the service, in a document. */
export const DatedAttempt = replacing(Attempt, { at: BsonDate }, 'DatedAttempt')
