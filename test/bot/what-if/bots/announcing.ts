import { setTimeout } from 'node:timers/promises'
import { type Handlers, handOver, text } from '../../../../src/bot/index.ts'

/** Announces an answer: by its client's words it gives none, hands over by the announcement, or takes its time. */
export const bot: Handlers = {
  onTurn: async ({ messages, say }) => {
    const words = messages.at(-1)?.data.message.text
    await say(words === 'hand over' ? handOver() : text('One moment, please.'))
    if (words === 'none') return undefined
    await setTimeout(2_300)
    return text('Done')
  },
}
