import { type Handlers, text } from '../../../../src/bot/index.ts'
import { heard } from './memory.ts'

let count = 0

/** Says how often it was asked, what it has heard, and what time it is. */
export const bot: Handlers = {
  onMessage: ({ data: { message } }) => {
    count++
    heard.push(message.text ?? '')
    return text(`${count}; ${heard.join(', ')}; ${new Date().toISOString().slice(0, 16)}`)
  },
  onAgentJoined: () => void heard.push('agent'),
}
