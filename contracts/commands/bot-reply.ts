import * as t from 'io-ts'
import { personal, Text } from '../personal.ts'
import { AccountId, Id, nullable, shape } from '../primitives.ts'
import { CommandTime, WireId } from '../wire.ts'

const optional = {
  /** RFC 3339 in UTC, as events have it, or Unix time; the time of sending where it is left out. */
  timestamp: nullable(CommandTime),
}
const plain = {
  ...optional,
  /** The same as plain text; made from `content` or `title` where it is left out. */
  text: nullable(Text),
}
/** One ready-made answer: its text, and the id that comes back when it is clicked. */
export const Button = shape(
  {
    /** The answer's words. */
    text: Text,
    /** What comes back when it is clicked. */
    id: WireId,
  },
  {},
  'Button',
)

/** The protocol's bound (Limits): a BUTTONS message has 1 to 3 buttons. */
export const Buttons = personal(
  new t.Type<Array<t.TypeOf<typeof Button>>, unknown, unknown>(
    'Buttons',
    (u): u is Array<t.TypeOf<typeof Button>> => t.array(Button).is(u) && u.length >= 1 && u.length <= 3,
    (u, context) =>
      Array.isArray(u) && (u.length < 1 || u.length > 3)
        ? t.failure(u, context, '1 to 3 buttons')
        : t.array(Button).validate(u, context),
    t.identity,
  ),
)

/**
 * What the client shall read. MARKDOWN knows links, bold and italic (protocol, Limits): a command with more in `content`, or
 * more than 4096 characters of it, goes to dead-letters. `text`, the same as plain text, is made from `content` or `title` where it is left out, and `timestamp`
 * is then the time of sending. A message of an event can be sent as it is.
 */
export const ReplyMessage = t.union(
  [
    shape(
      {
        /** Which kind of message it is. */
        type: t.literal('TEXT'),
        /** What the client shall read; beside `content` or `title`, the same as plain text. */
        text: Text,
      },
      optional,
      'TEXT',
    ),
    shape(
      {
        type: t.literal('MARKDOWN'),
        /** What the client shall read, in Markdown. */
        content: Text,
      },
      plain,
      'MARKDOWN',
    ),
    shape(
      {
        type: t.literal('BUTTONS'),
        /** The question. */
        title: Text,
        /** One to three ready-made answers. */
        buttons: Buttons,
      },
      {
        ...plain,
        /** Whether the client must choose one, as events have it. */
        forceReply: t.boolean,
        /** The same by its name in the protocol. */
        force_reply: t.boolean,
      },
      'BUTTONS',
    ),
  ],
  'a TEXT, MARKDOWN or BUTTONS message',
)
export type ReplyMessage = t.TypeOf<typeof ReplyMessage>

const command = {
  /** Any text that is unique within the chat: what was sent once is not sent again. */
  id: Id,
  /** The account, as in the event that is answered. */
  accountId: AccountId,
  /** The chat, as in the event that is answered. */
  chatId: WireId,
  /** The client, as in the event that is answered. */
  clientId: WireId,
}

/** Bot logic's reply to a client. `id` is unique within the chat: what was sent once is not sent again. */
export const BotMessage = shape(
  {
    /** Says which command it is. */
    type: t.literal('BotMessage'),
    ...command,
    /** What the client shall read. */
    message: ReplyMessage,
  },
  {
    /** The ce_id of the ClientMessageReceived that it answers. */
    inReplyTo: nullable(Id),
  },
  'BotMessage',
)

/** Bot logic hands the client to an agent. */
export const InviteAgent = shape(
  {
    /** Says which command it is. */
    type: t.literal('InviteAgent'),
    ...command,
  },
  {
    /** The ce_id of the ClientMessageReceived that it answers. */
    inReplyTo: nullable(Id),
  },
  'InviteAgent',
)

/** What bot logic publishes on bot-replies. */
export const BotReply = t.union([BotMessage, InviteAgent], 'a BotMessage or InviteAgent command')
export type BotReply = t.TypeOf<typeof BotReply>
