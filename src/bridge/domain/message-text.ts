import type { Message } from '../../../contracts/events/message.ts'
import { messageTypeOf, type ReplyMessage } from '../../../contracts/messages/index.ts'
import type { Instant } from '../../../contracts/primitives.ts'

/** What a parser of Markdown knows of a text: its words without markup, and what the protocol does not have. */
export type Markdown = {
  readonly plainText: (markdown: string) => string
  readonly unsupported: (markdown: string) => ReadonlyArray<string>
}

/**
 * Why the service would refuse the words of a message: Markdown with more than links, bold and italic.
 * The reasons never quote the message.
 */
export const refusedWords = (markdown: Markdown, message: ReplyMessage): ReadonlyArray<string> => {
  const { format, words, wordsOf } = messageTypeOf(message)
  const unsupported = format === 'markdown' ? markdown.unsupported(wordsOf(message)) : []
  if (unsupported.length === 0) return []
  return [`message.${words}: expected links, bold and italic only, found ${unsupported.join(', ')}`]
}

/** A bot's message with everything that the service expects, as events have it. */
export type CompleteMessage = Message &
  Pick<ReplyMessage, 'type'> & { readonly text: string; readonly timestamp: Instant }

/** Fills in a message's optional fields: the command's time, and a plain text made from the other fields. */
export const completeMessage = (markdown: Markdown, message: ReplyMessage, requestedAt: Instant): CompleteMessage => {
  const { format, wordsOf, ownFields } = messageTypeOf(message)
  const words = () => (format === 'markdown' ? markdown.plainText(wordsOf(message)) : wordsOf(message))
  return {
    ...ownFields(message),
    type: message.type,
    text: message.text ?? words(),
    timestamp: message.timestamp ?? requestedAt,
  }
}
