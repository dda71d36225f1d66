import * as t from 'io-ts'
import { ChatMessage } from '../events/chat.ts'
import { ButtonsMessage, MarkdownMessage, ReceivedMessage, TextMessage } from '../events/message.ts'
import { Attempt } from '../events/reply.ts'
import { BsonDate, exactShape, type Instant, replacing } from '../primitives.ts'

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
export const DatedChatMessage = exactShape({}, { ...ChatMessage.type.types[1].props, ...timestamp }, 'DatedChatMessage')

/** Plain text of a bot conversation, in a document. */
export const DatedTextMessage = replacing(TextMessage, timestamp, 'DatedTextMessage')
/** Markdown of a bot conversation, in a document. */
export const DatedMarkdownMessage = replacing(MarkdownMessage, timestamp, 'DatedMarkdownMessage')
/** A question with ready-made answers, in a document. */
export const DatedButtonsMessage = replacing(ButtonsMessage, timestamp, 'DatedButtonsMessage')
/** A message of a bot conversation, in a document. */
export const DatedMessage = t.union([DatedTextMessage, DatedMarkdownMessage, DatedButtonsMessage], 'DatedMessage')

/** A client's message as the service sent it, in a document. */
export const DatedReceivedMessage = exactShape(
  {},
  { ...ReceivedMessage.type.types[1].props, ...timestamp },
  'DatedReceivedMessage',
)

/** One request to the service, in a document. */
export const DatedAttempt = replacing(Attempt, { at: BsonDate }, 'DatedAttempt')
