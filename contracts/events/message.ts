import * as t from 'io-ts'
import { exactShape, Id, Instant } from '../primitives.ts'

const sent = { timestamp: Instant }

export const TextMessage = exactShape(
  { type: t.literal('TEXT'), text: t.string, ...sent },
  { buttonId: Id },
  'TextMessage',
)
export const MarkdownMessage = exactShape(
  { type: t.literal('MARKDOWN'), content: t.string, text: t.string, ...sent },
  { buttonId: Id },
  'MarkdownMessage',
)
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
