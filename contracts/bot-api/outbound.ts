import * as t from 'io-ts'
import { Code, Text } from '../personal.ts'
import { Id, shape } from '../primitives.ts'

const seconds = t.Int
const sent = {
  /** When it was sent, in seconds since 1970. */
  timestamp: seconds,
}

/** Plain text for the client; `timestamp` in seconds since 1970. */
export const OutboundText = t.type({ type: t.literal('TEXT'), text: Text, ...sent }, 'OutboundText')
/** Markdown for the client: links, bold, italic; `text` is the same as plain text. */
export const OutboundMarkdown = t.type(
  { type: t.literal('MARKDOWN'), content: Text, text: Text, ...sent },
  'OutboundMarkdown',
)
/** A question with one to three ready-made answers; `text` is the same as plain text. */
export const OutboundButtons = shape(
  {
    type: t.literal('BUTTONS'),
    title: Text,
    text: Text,
    buttons: t.array(t.type({ text: Text, id: Code })),
    ...sent,
  },
  { force_reply: t.boolean },
  'OutboundButtons',
)
/** A message as the bridge sends it (protocol, Resources, Message). */
export const OutboundMessage = t.union([OutboundText, OutboundMarkdown, OutboundButtons], 'OutboundMessage')
export type OutboundMessage = t.TypeOf<typeof OutboundMessage>

const exchange = {
  /** The id of the command, the same for every attempt. */
  id: Id,
  /** The client who writes on the channel. The id is unique within the account. */
  client_id: Id,
  /** The chat. Its id is unique within the account. */
  chat_id: Id,
}

/** Bot to service: a reply for the client; `timestamp` in seconds since 1970 (protocol, Events, Interface B). */
export const BotMessageRequest = t.type(
  {
    /** The name of the event. */
    event: t.literal('BOT_MESSAGE'),
    ...exchange,
    /** The message for the client. */
    message: OutboundMessage,
  },
  'BotMessageRequest',
)

/** Bot to service: the bot has no answer, so an agent must take over. */
export const InviteAgentRequest = t.type(
  {
    /** The name of the event. */
    event: t.literal('INVITE_AGENT'),
    ...exchange,
  },
  'InviteAgentRequest',
)

/** A request of the bridge to the service. */
export const BotRequest = t.union([BotMessageRequest, InviteAgentRequest], 'BotRequest')
export type BotRequest = t.TypeOf<typeof BotRequest>
