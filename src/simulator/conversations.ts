import { agentJoined, agentUnavailable, chatClosed, clientMessage, inviteAgent, textMessage } from './bot-events.ts'
import type { ChatChange } from './chat.ts'
import type { Exchange } from './send.ts'
import type { State } from './state.ts'

type Event = { readonly id: string; readonly chat_id: string; readonly client_id: string }

type Deps = {
  readonly state: State
  readonly botEvent: (accountId: string, event: Event) => Promise<Exchange>
  readonly accountIds: ReadonlyArray<string>
}

/** Whose chat it is, by default the first account's; `fields` replace or add some of the event. */
export type Circumstances = {
  readonly accountId?: string
  readonly clientId?: string
  readonly fields?: Readonly<Record<string, unknown>>
}

/** What happens in chats, and the events that tell the bot of it: each resolves with what the bot answered. */
export const createConversations = ({ state, botEvent, accountIds }: Deps) => {
  const [first = ''] = accountIds
  const tell =
    (build: (fields: Readonly<Record<string, unknown>>) => Event, changeOf: (event: Event) => ChatChange) =>
    (chatId: string, { accountId = first, clientId, fields }: Circumstances = {}) => {
      const client_id = clientId ?? state.chat(accountId, chatId)?.clientId ?? chatId
      const event = build({ chat_id: chatId, client_id, ...fields })
      state.change(accountId, chatId, changeOf(event))
      return botEvent(accountId, event)
    }
  const wrote = tell(clientMessage, ({ client_id }) => ({ kind: 'client-wrote', clientId: client_id }))
  return {
    /** CLIENT_MESSAGE of type TEXT; another message goes into `fields`. */
    clientWrites: (chatId: string, text: string, { fields, ...rest }: Circumstances = {}) =>
      wrote(chatId, { ...rest, fields: { message: textMessage(text), ...fields } }),
    /** INVITE_AGENT, told to the bot, of a chat that the service moved to an agent. */
    agentInvited: tell(inviteAgent, ({ id }) => ({ kind: 'agent-invited', by: 'service', id })),
    agentJoins: tell(agentJoined, () => ({ kind: 'agent-joined' })),
    agentUnavailable: tell(agentUnavailable, () => ({ kind: 'agent-unavailable' })),
    closeChat: tell(chatClosed, () => ({ kind: 'closed' })),
    chat: (chatId: string, accountId = first) => state.chat(accountId, chatId),
  }
}
