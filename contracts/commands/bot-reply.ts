import * as t from 'io-ts'
import { personal, Text } from '../personal.ts'
import { AccountId, Id, nullable, shape } from '../primitives.ts'
import { CommandTime, WireId } from '../wire.ts'

const optional = {
  /** RFC 3339 with any offset, or Unix time. If left out, the time when the command was appended to the topic. */
  timestamp: nullable(CommandTime),
}
const plain = {
  ...optional,
  /** The same message as plain text. If left out, the bridge makes it from `content` or `title`. */
  text: nullable(Text),
}
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
    (u): u is Array<t.TypeOf<typeof Button>> => t.array(Button).is(u) && u.length >= 1 && u.length <= 3,
    (u, context) =>
      Array.isArray(u) && (u.length < 1 || u.length > 3)
        ? t.failure(u, context, '1 to 3 buttons')
        : t.array(Button).validate(u, context),
    t.identity,
  ),
)

/**
 * The message for the client. MARKDOWN has links, bold and italic (protocol, Limits). A command with other Markdown in
 * `content`, or with more than 4096 characters there, goes to dead-letters. `text` is the same message as plain text.
 * If it is left out, the bridge makes it from `content` or `title`. If `timestamp` is left out, it is the time when the
 * command was appended. A message of an event can be sent unchanged.
 */
export const ReplyMessage = t.union(
  [
    shape(
      {
        /** The type of the message. */
        type: t.literal('TEXT'),
        /** The message for the client. Beside `content` or `title`, the same message as plain text. */
        text: Text,
      },
      optional,
      'TEXT',
    ),
    shape(
      {
        type: t.literal('MARKDOWN'),
        /** The message for the client, in Markdown. */
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
        /** Whether the client must choose an answer, by the name that events use. */
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
  /** Any text that is unique among the chat's commands of this type. A command that was sent once is not sent again. */
  id: Id,
  /** The account, as in the event that is answered. */
  accountId: AccountId,
  /** The chat, as in the event that is answered. */
  chatId: WireId,
  /** The client, as in the event that is answered. */
  clientId: WireId,
}

/**
 * A reply of bot logic to a client. `id` is unique among the messages of the chat: a command that was sent once is not
 * sent again.
 */
export const BotMessage = shape(
  {
    /** The type of the command. */
    type: t.literal('BotMessage'),
    ...command,
    /** The message for the client. */
    message: ReplyMessage,
  },
  {
    /** The ce_id of the ClientMessageReceived that it answers. */
    inReplyTo: nullable(Id),
    /**
     * True if the answer follows, as after "One moment". Such a message does not answer the client: the bridge waits
     * once more for `bot.replyWithin`, counted from the delivery of the first such message, and then invites an agent.
     */
    expectsMore: nullable(t.boolean),
  },
  'BotMessage',
)

/** Bot logic hands the client to an agent. */
export const InviteAgent = shape(
  {
    /** The type of the command. */
    type: t.literal('InviteAgent'),
    ...command,
  },
  {
    /** The ce_id of the ClientMessageReceived that it answers. */
    inReplyTo: nullable(Id),
    /** Why the client is handed over, for people: operators read it in `deliveries`. The service does not get it. */
    reason: nullable(Text),
  },
  'InviteAgent',
)

/** A command that bot logic publishes on bot-replies. */
export const BotReply = t.union([BotMessage, InviteAgent], 'a BotMessage or InviteAgent command')
export type BotReply = t.TypeOf<typeof BotReply>

const ofExample = { id: 'r-1', accountId: 'acme', chatId: '2037', clientId: '1233' }

/** An example of each command, by its name. */
export const exampleCommands = {
  BotMessage: {
    type: 'BotMessage',
    ...ofExample,
    inReplyTo: '9661ab9c-48b0-11ed-a3d6-859398ff9bd9',
    message: {
      type: 'BUTTONS',
      title: 'What is it about?',
      buttons: [
        { text: 'Delivery', id: '1' },
        { text: 'Something else', id: '2' },
      ],
    },
  },
  InviteAgent: { type: 'InviteAgent', ...ofExample },
}
