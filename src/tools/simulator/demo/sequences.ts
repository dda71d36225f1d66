import type { Chat } from '../chat.ts'
import { agentSeesNote, botReplies, chatCloses, clientWrites, handsOver, serviceTells } from './steps.ts'
import type { Story } from './story.ts'

/** The newest message with this text that the client was shown; another bot may have answered as well. */
const shown = (chat: Chat | undefined, text: string) => {
  const message = chat?.delivered.findLast((each) => each.message.text.includes(text))?.message
  return message ? `BOT_MESSAGE ${message.type}, the client reads “${message.text}”` : undefined
}

/** Act, sequence 1: the bot answers. */
export const playAnsweredByBot = async (story: Story) => {
  story.stage.heading(
    'Sequence 1: answered by the bot',
    'An example bot reads bot-conversations and writes bot-replies; the bridge posts its replies to the service.',
  )
  const chatId = String(story.newChatId())
  const chat = () => story.service.chat(chatId, story.account.id)
  await clientWrites(story, chatId, 'Hello')
  await botReplies(story, chatId, {
    title: 'BOT_MESSAGE · the bot answers with a text',
    type: 'BotMessage',
    messageType: 'TEXT',
    what: 'the answer',
    read: () => shown(chat(), 'You said: Hello'),
  })
  await clientWrites(story, chatId, 'buttons', 2)
  await botReplies(story, chatId, {
    title: 'BOT_MESSAGE · the bot answers with three buttons',
    type: 'BotMessage',
    messageType: 'BUTTONS',
    what: 'the buttons',
    read: () => shown(chat(), 'What would you like to know?'),
  })
  await chatCloses(story, chatId, 'the client has what he wanted', 'contained')
}

/** Act, sequence 2: the bot hands over, an agent joins. */
export const playAgentJoins = async (story: Story) => {
  story.stage.heading('Sequence 2: handed over, an agent joins', 'The bot has no answer to “agent” but INVITE_AGENT.')
  const chatId = String(story.newChatId())
  await handsOver(story, chatId)
  await serviceTells(story, chatId, 'AGENT_JOINED', 'an agent takes the chat')
  await agentSeesNote(story, chatId)
}

/** Act, sequence 3: the bot hands over, but no agent is there. */
export const playAgentUnavailable = async (story: Story) => {
  story.stage.heading(
    'Sequence 3: handed over, no agent available',
    'The bot hears of it as an event, and asks for contact details.',
  )
  const chatId = String(story.newChatId())
  await handsOver(story, chatId)
  await serviceTells(story, chatId, 'AGENT_UNAVAILABLE', 'nobody is there to take the chat')
  await botReplies(story, chatId, {
    title: 'BOT_MESSAGE · the bot asks for contact details',
    type: 'BotMessage',
    messageType: 'TEXT',
    what: 'the question',
    read: () => shown(story.service.chat(chatId, story.account.id), 'phone number'),
  })
}
