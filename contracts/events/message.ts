import * as t from 'io-ts'
import { Text } from '../personal.ts'
import { exactShape, Id, Instant, Word } from '../primitives.ts'

/** One ready-made answer of a BUTTONS message. */
export const MessageButton = exactShape(
  {},
  {
    /** The text of the answer. */
    text: Text,
    /** The id that the service sends back when the client clicks the answer. */
    id: Id,
  },
  'MessageButton',
)

/**
 * A message of a bot conversation, from the client or the bot. TEXT is plain text in `text`. MARKDOWN has Markdown (links,
 * bold, italic) in `content`. BUTTONS is a question in `title` with ready-made answers. Both have the same message as
 * plain text in `text`. The service may send other types too, such as PHOTO, VOICE or LOCATION. Their own fields are in
 * the event's `extra`, under `message`.
 */
export const Message = exactShape(
  {},
  {
    /** The type of the message: TEXT, MARKDOWN, BUTTONS, or another word of the service. */
    type: Word('TEXT', 'MARKDOWN', 'BUTTONS'),

    /** The message as plain text. */
    text: Text,

    /** The message in Markdown. Of MARKDOWN. */
    content: Text,

    /** The question. Of BUTTONS. */
    title: Text,

    /** The ready-made answers. Of BUTTONS. */
    buttons: t.array(MessageButton),

    /** When the sender wrote the message. */
    timestamp: Instant,

    /** The button that the client clicked. */
    buttonId: Id,

    /** Whether the client must choose an answer. Of BUTTONS. */
    forceReply: t.boolean,
  },
  'Message',
)
export type Message = t.TypeOf<typeof Message>
