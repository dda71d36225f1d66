import type { Handlers } from '../../../bot/handlers.ts'
import { buttons, handOver, markdown, text } from '../../../bot/replies.ts'

/** What the agent reads beside the chat that the bot hands over. */
export const noteOfDemo = 'The client asks for a person.'

/** A field beside it that leads to a page when the agent clicks on it. */
export const linkOfDemo = { title: 'Order', content: '2026-1177', link: 'https://shop.example.com/orders/2026-1177' }

/** The demo's bot: repeats the client's text, shows each kind of message, and hands over to an agent. */
export const echoBot: Handlers = {
  onMessage: ({ data: { message } }) => {
    switch (message.text?.trim().toLowerCase()) {
      case 'agent':
        return handOver({ summary: noteOfDemo })
      case 'buttons':
        return buttons('What would you like to know?', [
          { id: '1', text: 'Prices' },
          { id: '2', text: 'Delivery' },
          { id: '3', text: 'Something else' },
        ])
      case 'markdown':
        return markdown('We are **open** until *8 pm*, [see the map](https://shop.example.com/map)')
      default:
        return text(`You said: ${message.text ?? message.type}`)
    }
  },
  onAgentUnavailable: () =>
    text('Nobody is free at the moment. Please leave your phone number or e-mail address, and we will write to you.'),
}
