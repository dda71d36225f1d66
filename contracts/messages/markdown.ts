import * as t from 'io-ts'
import { Text } from '../personal.ts'
import { shape } from '../primitives.ts'
import { messageType, ofOutbound, withPlainText } from './message-type.ts'

export const MarkdownReply = shape(
  {
    type: t.literal('MARKDOWN'),
    /** The message for the client, in Markdown. */
    content: Text,
  },
  withPlainText,
  'MARKDOWN',
)

/** Markdown for the client: links, bold, italic; `text` is the same as plain text. */
export const OutboundMarkdown = t.type(
  { type: t.literal('MARKDOWN'), content: Text, text: Text, ...ofOutbound },
  'OutboundMarkdown',
)

export const markdownFields = {
  /** The message in Markdown. Of MARKDOWN. */
  content: Text,
}

export const markdown = messageType({
  type: 'MARKDOWN',
  reply: MarkdownReply,
  outbound: OutboundMarkdown,
  words: 'content',
  format: 'markdown',
  ownFields: ({ content }) => ({ content }),
  toWire: ({ content }) => ({ content }),
  example: { type: 'MARKDOWN', content: '**Hello**, [our shop](https://shop.example.com)' },
  guide: {
    fields: '`content`',
    bounds: 'links, **bold**, *italic*, 4096 characters: other Markdown is sent as its plain text',
  },
})
