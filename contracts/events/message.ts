import type * as t from 'io-ts'
import { fieldsOfTypes, messageTypes } from '../messages/index.ts'
import { Text } from '../personal.ts'
import { exactShape, Id, Instant, Word } from '../primitives.ts'

/**
 * A message of a bot conversation, from the client or the bot. TEXT is plain text in `text`. MARKDOWN has Markdown
 * (links, bold, italic) in `content`. BUTTONS is a question in `title` with ready-made answers. Both have the same
 * message as plain text in `text`. The service may send other types too, such as PHOTO, VOICE or LOCATION. Their own
 * fields are in the event's `extra`, under `message`.
 */
export const Message = exactShape(
  {},
  {
    /** The type of the message: TEXT, MARKDOWN, BUTTONS, or another word of the service. */
    type: Word(...messageTypes.map(({ type }) => type)),

    /** The message as plain text. */
    text: Text,

    ...fieldsOfTypes,

    /** When the sender wrote the message. */
    timestamp: Instant,

    /** The button that the client clicked. */
    buttonId: Id,
  },
  'Message',
)
export type Message = t.TypeOf<typeof Message>
