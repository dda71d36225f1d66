import * as t from 'io-ts'
import { Code, Text } from '../personal.ts'
import { exactShape, Id, Instant } from '../primitives.ts'

const sent = {
  /** When the sender wrote the message. */
  timestamp: Instant,
}

/** Plain text. `buttonId` is the button that the client clicked. */
export const TextMessage = exactShape(
  {
    /** The type of the message: plain text. */
    type: t.literal('TEXT'),
    /** The text of the message. */
    text: Text,
    ...sent,
  },
  {
    /** The button that the client clicked. */
    buttonId: Id,
  },
  'TextMessage',
)
/** Markdown (links, bold, italic) in `content`, and the same message as plain text in `text`. */
export const MarkdownMessage = exactShape(
  {
    /** The type of the message: Markdown. */
    type: t.literal('MARKDOWN'),
    /** The message in Markdown. */
    content: Text,
    /** The same message as plain text. */
    text: Text,
    ...sent,
  },
  {
    /** The button that the client clicked. */
    buttonId: Id,
  },
  'MarkdownMessage',
)
/**
 * A question with ready-made answers. `text` is the same as plain text. With `forceReply` the client must choose one.
 */
export const ButtonsMessage = exactShape(
  {
    /** The type of the message: a question with ready-made answers. */
    type: t.literal('BUTTONS'),

    /** The question. */
    title: Text,

    /** The same message as plain text. */
    text: Text,

    /** The answers. */
    buttons: t.array(
      exactShape(
        {
          /** The text of the answer. */
          text: Text,
          /** The id that the service sends back when the client clicks the answer. */
          id: Id,
        },
        {},
        'Button',
      ),
    ),
    ...sent,
  },
  {
    /** Whether the client must choose an answer. */
    forceReply: t.boolean,
  },
  'ButtonsMessage',
)

/** A message of a bot conversation, from the client or the bot. `timestamp` is when the sender wrote it. */
export const Message = t.union([TextMessage, MarkdownMessage, ButtonsMessage], 'Message')
export type Message = t.TypeOf<typeof Message>

/**
 * A message of a client, as the service sent it. What it left out, or what did not fit, is absent. Fields that the
 * contract does not know are in the event's `extra`, under `message`.
 */
export const ReceivedMessage = exactShape(
  {},
  {
    /**
     * The type in the service's words: `TEXT`, `MARKDOWN`, `BUTTONS`, `PHOTO`, `VOICE`, `STICKER`, `LOCATION`,
     * `DOCUMENT`. Others may come.
     */
    type: Code,

    /** The text of the message, or the same message as plain text. */
    text: Text,

    /** The message in Markdown. */
    content: Text,

    /** The question before buttons. */
    title: Text,

    /** The ready-made answers of a question. */
    buttons: t.array(
      exactShape(
        {},
        {
          /** The text of the answer. */
          text: Text,
          /** The id that the service sends back when the client clicks the answer. */
          id: Id,
        },
        'ReceivedButton',
      ),
    ),

    /** When the client wrote the message. */
    timestamp: Instant,

    /** The button that the client clicked. */
    buttonId: Id,

    /** Whether the client must choose an answer. */
    forceReply: t.boolean,
  },
  'ReceivedMessage',
)
export type ReceivedMessage = t.TypeOf<typeof ReceivedMessage>
