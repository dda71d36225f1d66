import * as t from 'io-ts'
import { Code, personal, Text } from '../personal.ts'
import { exactShape, Id, nullable, shape } from '../primitives.ts'
import { WireId } from '../wire.ts'
import { messageType, ofOutbound, withPlainText } from './message-type.ts'

const maxButtons = 3

/** One ready-made answer: its text, and the id that the service sends back when the client clicks it. */
export const Button = shape(
  {
    /** The text of the answer. */
    text: Text,
    /** The id that the service sends back when the client clicks the answer. */
    id: WireId,
  },
  {},
  'Button',
)

/** The protocol's limit (Limits): a BUTTONS message has 1 to 3 buttons. */
export const Buttons = personal(
  new t.Type<Array<t.TypeOf<typeof Button>>, unknown, unknown>(
    'Buttons',
    (u): u is Array<t.TypeOf<typeof Button>> => t.array(Button).is(u) && u.length >= 1 && u.length <= maxButtons,
    (u, context) =>
      Array.isArray(u) && (u.length < 1 || u.length > maxButtons)
        ? t.failure(u, context, `1 to ${maxButtons} buttons`)
        : t.array(Button).validate(u, context),
    t.identity,
  ),
)

export const ButtonsReply = shape(
  {
    type: t.literal('BUTTONS'),
    /** The question. */
    title: Text,
    /** One to three ready-made answers. */
    buttons: Buttons,
  },
  {
    ...withPlainText,
    /** Whether the client must choose an answer, by the name that events use. */
    forceReply: nullable(t.boolean),
    /** The same by its name in the protocol. */
    force_reply: nullable(t.boolean),
  },
  'BUTTONS',
)

/** A question with one to three ready-made answers; `text` is the same as plain text. */
export const OutboundButtons = shape(
  {
    type: t.literal('BUTTONS'),
    title: Text,
    text: Text,
    buttons: t.array(t.type({ text: Text, id: Code })),
    ...ofOutbound,
  },
  { force_reply: t.boolean },
  'OutboundButtons',
)

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

export const buttonsFields = {
  /** The question. Of BUTTONS. */
  title: Text,
  /** The ready-made answers. Of BUTTONS. */
  buttons: t.array(MessageButton),
  /** Whether the client must choose an answer. Of BUTTONS. */
  forceReply: t.boolean,
}

export const buttons = messageType({
  type: 'BUTTONS',
  reply: ButtonsReply,
  outbound: OutboundButtons,
  words: 'title',
  format: 'plain',
  lists: { buttons: Button },
  ownFields: ({ title, buttons: answers, forceReply, force_reply }) => {
    const isForced = forceReply ?? force_reply ?? undefined
    return {
      title,
      buttons: answers.map(({ text, id }) => ({ text, id })),
      ...(isForced !== undefined && { forceReply: isForced }),
    }
  },
  toWire: ({ title, buttons: answers, forceReply }) => ({
    title,
    buttons: answers,
    ...(forceReply !== undefined && { force_reply: forceReply }),
  }),
  refusals: (message) => (message.buttons.length > maxButtons ? [`message.buttons: at most ${maxButtons}`] : []),
  example: {
    type: 'BUTTONS',
    title: 'What is it about?',
    buttons: [
      { text: 'Delivery', id: '1' as Id },
      { text: 'Something else', id: '2' as Id },
    ],
  },
  guide: {
    fields: '`title`, `buttons`: `[{ "id", "text" }]`, `forceReply` or `force_reply`',
    bounds: '1 to 3 buttons',
  },
})
