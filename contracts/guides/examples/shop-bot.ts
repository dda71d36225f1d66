import { buttons, type Handlers, handOver, markdown, text } from 'livechat-bridge-contracts/bot'

/** A shop's bot. A click comes back with the button's id, or as its text alone, depending on the channel. */
export const shopBot: Handlers = {
  onMessage: ({ data: { message } }) => {
    switch (message.buttonId ?? message.text?.trim().toLowerCase()) {
      case 'hours':
      case 'opening hours':
        return markdown('We are **open** from 9 to 20, [find us](https://shop.example.com/map).')
      case 'agent':
      case 'talk to a person':
        return [text('One moment, please.'), handOver()]
      default:
        return buttons('How can we help?', [
          { id: 'hours', text: 'Opening hours' },
          { id: 'agent', text: 'Talk to a person' },
        ])
    }
  },
  onAgentUnavailable: () => text('Nobody is free now. Leave us your phone number, and we will call you back.'),
}
