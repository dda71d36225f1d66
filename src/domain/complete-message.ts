import type { ReplyMessage } from '../../contracts/commands/bot-reply.ts'
import type { Message } from '../../contracts/events/message.ts'
import type { Instant } from '../../contracts/primitives.ts'
import { plainText } from './markdown.ts'

/** Fills in a message's optional fields: the command's time, and a plain text made from the other fields. */
export const completeMessage = (message: ReplyMessage, requestedAt: Instant): Message => {
  const timestamp = message.timestamp ?? requestedAt
  switch (message.type) {
    case 'TEXT':
      return { type: 'TEXT', text: message.text, timestamp }
    case 'MARKDOWN':
      return {
        type: 'MARKDOWN',
        content: message.content,
        text: message.text ?? plainText(message.content),
        timestamp,
      }
    case 'BUTTONS': {
      const forceReply = message.forceReply ?? message.force_reply
      return {
        type: 'BUTTONS',
        title: message.title,
        text: message.text ?? message.title,
        buttons: message.buttons.map(({ text, id }) => ({ text, id })),
        timestamp,
        ...(forceReply !== undefined && { forceReply }),
      }
    }
  }
}
