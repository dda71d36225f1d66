import { buttons, type Handlers, text } from '../../../../src/bot/index.ts'
import { bot as day } from './day.ts'

/** The bot of the day with one rule changed: asked for the opening hours, it also asks back. */
export const bot: Handlers = {
  ...day,
  onMessage: (event, chat) => {
    const { buttonId, text: words } = event.data.message
    return (buttonId ?? words?.trim().toLowerCase()) === 'hours'
      ? [text('We are open from 9 to 20.'), buttons('More?', [{ id: 'map', text: 'The way' }])]
      : day.onMessage?.(event, chat)
  },
}
