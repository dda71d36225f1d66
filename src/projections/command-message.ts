import type { ReplyMessage } from '../../contracts/commands/bot-reply.ts'
import type { Message } from '../../contracts/events/message.ts'
import type { Instant } from '../../contracts/primitives.ts'

/** A command's message as events show it, with the defaults of the command's contract. */
export const messageOf = (message: ReplyMessage, requestedAt: Instant): Message => {
  const timestamp = message.timestamp ?? requestedAt
  switch (message.type) {
    case 'TEXT':
      return { type: 'TEXT', text: message.text, timestamp }
    case 'MARKDOWN':
      return { type: 'MARKDOWN', content: message.content, text: message.text ?? message.content, timestamp }
    case 'BUTTONS': {
      const { title, force_reply: forceReply } = message
      const buttons = message.buttons.map(({ text, id }) => ({ text, id }))
      const text = message.text ?? title
      return { type: 'BUTTONS', title, text, buttons, timestamp, ...(forceReply !== undefined && { forceReply }) }
    }
  }
}
