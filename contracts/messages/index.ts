import * as t from 'io-ts'
import { ButtonsReply, buttons, buttonsFields, OutboundButtons } from './buttons.ts'
import { MarkdownReply, markdown, markdownFields, OutboundMarkdown } from './markdown.ts'
import type { MessageType } from './message-type.ts'
import { OutboundText, TextReply, text } from './text.ts'

/** The types of a bot's messages. Everything else is derived from this list. */
const listed = [text, markdown, buttons] as const

const eitherOf = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(listed.map(({ type }) => type))

/**
 * The message for the client. MARKDOWN has links, bold and italic (protocol, Limits). Other Markdown, or more than 4096
 * characters of it, is sent as its plain text, or goes to dead-letters if the account has `bot.markdown: refuse`. A link
 * that is not http, https, mailto or tel becomes its text. `text` is the same message as plain text.
 * If it is left out, the bridge makes it from `content` or `title`. If `timestamp` is left out, it is the time when the
 * command was appended. A message of an event can be sent unchanged.
 */
export const ReplyMessage = t.union([TextReply, MarkdownReply, ButtonsReply], `a ${eitherOf} message`)
export type ReplyMessage = t.TypeOf<typeof ReplyMessage>

/** A message as the bridge sends it (protocol, Resources, Message). */
export const OutboundMessage = t.union([OutboundText, OutboundMarkdown, OutboundButtons], 'OutboundMessage')
export type OutboundMessage = t.TypeOf<typeof OutboundMessage>

/** The fields in events that only one type has. */
export const fieldsOfTypes = { ...markdownFields, ...buttonsFields }

type OwnFields = { readonly [K in keyof typeof fieldsOfTypes]?: t.TypeOf<(typeof fieldsOfTypes)[K]> }
type Type = (typeof listed)[number]['type'] & ReplyMessage['type'] & OutboundMessage['type']

/** By name. Does not compile if a type of message is not in each of the lists above. */
const byName: { readonly [T in ReplyMessage['type'] | OutboundMessage['type']]: MessageType<Type, OwnFields> } =
  Object.fromEntries(listed.map((each) => [each.type, each])) as Record<Type, MessageType<Type, OwnFields>>

export const messageTypes: ReadonlyArray<MessageType<Type, OwnFields>> = listed

/** What is true of the type of a message. */
export const messageTypeOf = ({ type }: { readonly type: Type }): MessageType<Type, OwnFields> => byName[type]
