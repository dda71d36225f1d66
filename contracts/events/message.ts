import * as t from 'io-ts'
import { Text } from '../personal.ts'
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
