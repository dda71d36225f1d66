import { messageTypeOf, type OutboundMessage } from '../../../contracts/messages/index.ts'

/** Who has the chat: the bot, nobody while an agent is invited, an agent, or nobody after the closing. */
export type ChatState = 'bot' | 'invited' | 'agent' | 'closed'

/** A bot's message as the client saw it: its event's id, the time (ms since 1970), and who had the chat then. */
export type Delivered = {
  readonly id: string
  readonly message: OutboundMessage
  readonly at: number
  readonly during: ChatState
}

/** Why an agent was invited: the bot requested it (`id` of its event), or the bot gave no regular response. */
export type Invitation = { readonly by: 'bot' | 'service'; readonly id: string; readonly at: number }

/** A line of the transcript: author, text and time (ms since 1970). `agentId` is set if an agent wrote it. */
export type Line = {
  readonly from: 'client' | 'bot' | 'agent'
  readonly text: string
  readonly at: number
  readonly agentId?: string
}

export type Chat = {
  readonly accountId: string
  readonly chatId: string
  readonly clientId?: string
  readonly state: ChatState
  readonly delivered: ReadonlyArray<Delivered>
  readonly invitations: ReadonlyArray<Invitation>
  /** All lines, oldest first. */
  readonly transcript: ReadonlyArray<Line>
}

export type ChatChange =
  | { readonly kind: 'client-wrote'; readonly clientId: string; readonly text: string }
  | { readonly kind: 'agent-wrote'; readonly agentId: string; readonly text: string }
  | { readonly kind: 'bot-wrote'; readonly id: string; readonly message: OutboundMessage }
  | { readonly kind: 'agent-invited'; readonly by: Invitation['by']; readonly id: string }
  | { readonly kind: 'agent-joined' }
  | { readonly kind: 'agent-unavailable' }
  | { readonly kind: 'closed' }

export const newChat = (accountId: string, chatId: string): Chat => ({
  accountId,
  chatId,
  state: 'bot',
  delivered: [],
  invitations: [],
  transcript: [],
})

/**
 * The chat after a change. A message is shown in every state, and again if it is sent again, because the service is not
 * known to deduplicate (field notes). The service itself moves a chat to an agent only if the bot has it.
 */
export const evolve = (chat: Chat, change: ChatChange, at: number): Chat => {
  switch (change.kind) {
    case 'client-wrote': {
      const { clientId, text } = change
      const transcript: Chat['transcript'] = [...chat.transcript, { from: 'client', text, at }]
      return { ...chat, clientId, transcript, state: chat.state === 'closed' ? 'bot' : chat.state }
    }
    case 'agent-wrote': {
      const { agentId, text } = change
      return { ...chat, transcript: [...chat.transcript, { from: 'agent', text, at, agentId }] }
    }
    case 'bot-wrote': {
      const { id, message } = change
      const transcript: Chat['transcript'] = [
        ...chat.transcript,
        { from: 'bot', text: messageTypeOf(message).wordsOf(message), at },
      ]
      return { ...chat, transcript, delivered: [...chat.delivered, { id, message, at, during: chat.state }] }
    }
    case 'agent-invited': {
      const { by, id } = change
      if (by === 'service' && chat.state !== 'bot') return chat
      const invitations = [...chat.invitations, { by, id, at }]
      return { ...chat, invitations, state: chat.state === 'bot' ? 'invited' : chat.state }
    }
    case 'agent-joined':
      return { ...chat, state: 'agent' }
    case 'agent-unavailable':
      return { ...chat, state: 'bot' }
    case 'closed':
      return { ...chat, state: 'closed' }
  }
}
