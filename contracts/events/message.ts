import * as t from 'io-ts'
import { Text } from '../personal.ts'
import { exactShape, Id, Instant } from '../primitives.ts'

const sent = {
  /** When its sender made it. */
  timestamp: Instant,
}

/** Plain text; `buttonId` is the button that the client clicked. */
export const TextMessage = exactShape(
  {
    /** Says that it is plain text. */
    type: t.literal('TEXT'),
    /** What is said. */
    text: Text,
    ...sent,
  },
  {
    /** The button that the client clicked. */
    buttonId: Id,
  },
  'TextMessage',
)
/** Markdown (links, bold, italic) in `content`, the same as plain text in `text`. */
export const MarkdownMessage = exactShape(
  {
    /** Says that it is Markdown. */
    type: t.literal('MARKDOWN'),
    /** What is said, in Markdown. */
    content: Text,
    /** The same as plain text. */
    text: Text,
    ...sent,
  },
  {
    /** The button that the client clicked. */
    buttonId: Id,
  },
  'MarkdownMessage',
)
/** A question with ready-made answers; `text` is the same as plain text, with `forceReply` the client must choose one. */
export const ButtonsMessage = exactShape(
  {
    /** Says that it has ready-made answers. */
    type: t.literal('BUTTONS'),

    /** The question. */
    title: Text,

    /** The same as plain text. */
    text: Text,

    /** The answers. */
    buttons: t.array(
      exactShape(
        {
          /** The answer's words. */
          text: Text,
          /** What comes back when it is clicked. */
          id: Id,
        },
        {},
        'Button',
      ),
    ),
    ...sent,
  },
  {
    /** Whether the client must choose one. */
    forceReply: t.boolean,
  },
  'ButtonsMessage',
)

/** A message of a bot conversation, the client's or the bot's; `timestamp` is when its sender made it. */
export const Message = t.union([TextMessage, MarkdownMessage, ButtonsMessage], 'Message')
export type Message = t.TypeOf<typeof Message>
