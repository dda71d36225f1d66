import * as t from 'io-ts'
import { exactShape, Id, Instant } from '../primitives.ts'

const sent = { timestamp: Instant }

/** Plain text; `buttonId` is the button that the client clicked. */
export const TextMessage = exactShape(
  { type: t.literal('TEXT'), text: t.string, ...sent },
  { buttonId: Id },
  'TextMessage',
)
/** Markdown (links, bold, italic) in `content`, the same as plain text in `text`. */
export const MarkdownMessage = exactShape(
  { type: t.literal('MARKDOWN'), content: t.string, text: t.string, ...sent },
  { buttonId: Id },
  'MarkdownMessage',
)
/** A question with ready-made answers; `text` is the same as plain text, with `forceReply` the client must choose one. */
export const ButtonsMessage = exactShape(
  {
    type: t.literal('BUTTONS'),
    title: t.string,
    text: t.string,
    buttons: t.array(exactShape({ text: t.string, id: Id }, {}, 'Button')),
    ...sent,
  },
  { forceReply: t.boolean },
  'ButtonsMessage',
)

/** A message of a bot conversation, the client's or the bot's; `timestamp` is when its sender made it. */
export const Message = t.union([TextMessage, MarkdownMessage, ButtonsMessage], 'Message')
export type Message = t.TypeOf<typeof Message>
