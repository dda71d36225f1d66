import { buttons, type Handlers } from '../../../../src/bot/index.ts'
import { bot as day } from './day.ts'

const four = ['a', 'b', 'c', 'd'].map((id) => ({ id, text: id }))

/** The bot of the day, but it throws, sleeps or shows four buttons. */
export const bot: Handlers = {
  ...day,
  onMessage: async (event, chat) => {
    const { text: words, buttonId } = event.data.message
    if (buttonId === 'hours') return buttons('Which?', four)
    if (words === 'hours') throw new TypeError(`no hours for ${words}`)
    if (words === 'agent') await new Promise((resolve) => setTimeout(resolve, 60_000))
    return day.onMessage?.(event, chat)
  },
}
