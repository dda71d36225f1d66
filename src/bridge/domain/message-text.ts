import type { Message } from '../../../contracts/events/message.ts'
import { messageTypeOf, type ReplyMessage } from '../../../contracts/messages/index.ts'
import type { Instant } from '../../../contracts/primitives.ts'

/** What a parser knows of a Markdown text. */
export type MarkdownText = {
  /** Its words without markup. */
  readonly plainText: string
  /** The names of what the protocol does not have. */
  readonly unsupported: ReadonlyArray<string>
  /** The text without links that clients must not be given. */
  readonly shown: string
}
export type Markdown = (content: string) => MarkdownText

/** What becomes of Markdown that the service cannot show: it is sent as plain text, or refused. */
export type MarkdownRule = 'plain' | 'refuse'

/**
 * Why the service could not show the words of a message: Markdown with more than links, bold and italic.
 * The reasons never quote the message.
 */
export const refusedWords = (markdown: Markdown, message: ReplyMessage): ReadonlyArray<string> => {
  const { format, words, wordsOf } = messageTypeOf(message)
  const unsupported = format === 'markdown' ? markdown(wordsOf(message)).unsupported : []
  if (unsupported.length === 0) return []
  return [`message.${words}: expected links, bold and italic only, found ${unsupported.join(', ')}`]
}

/** A bot's message with everything that the service expects, as events have it. */
export type CompleteMessage = Message &
  Pick<ReplyMessage, 'type'> & { readonly text: string; readonly timestamp: Instant }

/** Fills in a message's optional fields: the command's time, and a plain text made from the other fields. */
export const completeMessage = (markdown: Markdown, message: ReplyMessage, requestedAt: Instant): CompleteMessage => {
  const { format, wordsOf, ownFields } = messageTypeOf(message)
  const words = () => (format === 'markdown' ? markdown(wordsOf(message)).plainText : wordsOf(message))
  return {
    ...ownFields(message),
    type: message.type,
    text: message.text ?? words(),
    timestamp: message.timestamp ?? requestedAt,
  }
}

/** A message, and as which type it is sent if the service cannot show it as it was written. */
export type Rendered = { readonly message: CompleteMessage; readonly renderedAs?: 'TEXT' | 'MARKDOWN' }

/** What the service cannot show becomes plain text. Links that clients must not be given become their text. */
export const rendered = (markdown: Markdown, message: CompleteMessage): Rendered => {
  if (message.type !== 'MARKDOWN') return { message }
  const content = String(message.content)
  const { unsupported, shown, plainText } = markdown(content)
  if (unsupported.length === 0)
    return shown === content ? { message } : { message: { ...message, content: shown }, renderedAs: 'MARKDOWN' }
  const { text, timestamp } = message
  return { message: { type: 'TEXT', text: text.trim() === '' ? plainText : text, timestamp }, renderedAs: 'TEXT' }
}

/** A message as it was written, and as which type it is sent if the service cannot show it so. */
export const writtenMessage = (markdown: Markdown, written: ReplyMessage, requestedAt: Instant): Rendered => {
  const message = completeMessage(markdown, written, requestedAt)
  const { renderedAs } = rendered(markdown, message)
  return { message, ...(renderedAs !== undefined && { renderedAs }) }
}
