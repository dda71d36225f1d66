import type { BotReply } from '../../contracts/commands/bot-reply.ts'
import type { AgentUnavailable, ClientMessageReceived } from '../../contracts/events/index.ts'

/** A command as its JSON. */
export type Command = ReturnType<typeof BotReply.encode>

type Reply = Extract<Command, { readonly type: 'BotMessage' }>['message']

const askForContacts =
  'Nobody is free at the moment. Please leave your phone number or e-mail address, and we will write to you.'

const answers = new Map<string, Reply>([
  [
    'buttons',
    {
      type: 'BUTTONS',
      title: 'What would you like to know?',
      buttons: [
        { id: '1', text: 'Prices' },
        { id: '2', text: 'Delivery' },
        { id: '3', text: 'Something else' },
      ],
    },
  ],
  [
    'markdown',
    { type: 'MARKDOWN', content: 'We are **open** until *8 pm*, [see the map](https://shop.example.com/map)' },
  ],
])

/**
 * An example of bot logic: repeats what the client said; `buttons` and `markdown` show a message of that type, `agent`
 * hands the chat over, and without an agent it asks for contact details. Commands have ids of the event's own (its
 * ce_id), so that an event that comes twice is answered once.
 */
export const decide = (event: ClientMessageReceived | AgentUnavailable): ReadonlyArray<Command> => {
  const { accountId, chatId, clientId } = event.data
  const command = { id: `reply-to-${event.id}`, accountId, chatId, clientId, inReplyTo: event.id }
  switch (event.type) {
    case 'AgentUnavailable':
      return [{ type: 'BotMessage', ...command, message: { type: 'TEXT', text: askForContacts } }]
    case 'ClientMessageReceived': {
      const { text } = event.data.message
      const wish = text.trim().toLowerCase()
      if (wish === 'agent') return [{ type: 'InviteAgent', ...command }]
      return [
        { type: 'BotMessage', ...command, message: answers.get(wish) ?? { type: 'TEXT', text: `You said: ${text}` } },
      ]
    }
  }
}
