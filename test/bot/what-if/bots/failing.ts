import { buttons, type Handlers, text } from '../../../../src/bot/index.ts'

let first = true

/** Fails in the way that the message names. */
export const bot: Handlers = {
  onMessage: async ({ data: { message } }) => {
    switch (message.text) {
      case 'throw':
        throw new RangeError(message.text)
      case 'throw once':
        if (first) {
          first = false
          throw new RangeError('first')
        }
        return text('Hello')
      case 'throw words': {
        const error = new Error('no')
        error.name = 'my phone is 5550100'
        throw error
      }
      case 'sleep':
        await new Promise((resolve) => setTimeout(resolve, 60_000))
        return text('late')
      case 'hang':
        for (;;);
      case 'exit':
        process.exit(0)
        return undefined
      case 'reject':
        void Promise.reject(new Error('nobody waits'))
        await new Promise((resolve) => setTimeout(resolve, 20))
        return text('Hello')
      case 'four buttons':
        return buttons(
          'Which?',
          ['a', 'b', 'c', 'd'].map((id) => ({ id, text: id })),
        )
      case 'huge':
        return text('x'.repeat(10_000_000))
      case 'print':
        process.stdout.write('x'.repeat(10_000_000))
        return text('Hello')
      case 'change': {
        const given = message as { text?: unknown }
        given.text = undefined
        throw new RangeError('changed')
      }
      case 'circular': {
        const reply: Record<string, unknown> = { kind: 'message' }
        reply.message = reply
        return reply as never
      }
      default:
        return text('Hello')
    }
  },
}
