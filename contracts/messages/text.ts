import * as t from 'io-ts'
import { Text } from '../personal.ts'
import { shape } from '../primitives.ts'
import { messageType, ofOutbound, ofReplies } from './message-type.ts'

export const TextReply = shape(
  {
    /** The type of the message. */
    type: t.literal('TEXT'),
    /** The message for the client. Beside `content` or `title`, the same message as plain text. */
    text: Text,
  },
  ofReplies,
  'TEXT',
)

/** Plain text for the client; `timestamp` in seconds since 1970. */
export const OutboundText = t.type({ type: t.literal('TEXT'), text: Text, ...ofOutbound }, 'OutboundText')

export const text = messageType({
  type: 'TEXT',
  reply: TextReply,
  outbound: OutboundText,
  words: 'text',
  format: 'plain',
  isShownAsItIs: true,
  ownFields: () => ({}),
  toWire: () => ({}),
  example: { type: 'TEXT', text: 'Hello' },
  guide: { fields: '`text`', bounds: '' },
})
