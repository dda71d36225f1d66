import { buttons, type Handlers, handOver, markdown, text } from '../../../../src/bot/index.ts'

/** A shop's bot without a state. */
export const bot: Handlers = {
  onMessage: ({ data: { message } }) => {
    switch (message.buttonId ?? message.text?.trim().toLowerCase()) {
      case 'hours':
        return markdown('We are **open** from 9 to 20.')
      case 'agent':
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
