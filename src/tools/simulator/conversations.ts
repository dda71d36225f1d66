import { agentJoined, agentUnavailable, chatClosed, clientMessage, inviteAgent, textMessage } from './bot-events.ts'
import type { ChatChange } from './chat.ts'
import { chatFinished } from './payloads.ts'
import type { Attempt } from './post.ts'
import type { Exchange } from './send.ts'
import type { State } from './state.ts'
import { chatLog, type Tamper } from './transcript.ts'

type Event = { readonly id: string; readonly chat_id: string; readonly client_id: string }
type Said = Event & { readonly message: { readonly text: string } }

type Deps = {
  readonly state: State
  readonly botEvent: (accountId: string, event: Event) => Promise<Exchange>
  readonly webhook: (accountId: string, payload: object) => Promise<Attempt>
  readonly accountIds: ReadonlyArray<string>
}

/** Default account: the first one. `fields` replace fields of the event or add some. */
export type Circumstances = {
  readonly accountId?: string
  readonly clientId?: string
  readonly fields?: Readonly<Record<string, unknown>>
}

/** What happens in chats, and the events that report it to the bot. Each event resolves with the bot's response. */
export const createConversations = ({ state, botEvent, webhook, accountIds }: Deps) => {
  const [first = ''] = accountIds
  const tell =
    <E extends Event>(build: (fields: Readonly<Record<string, unknown>>) => E, changeOf: (event: E) => ChatChange) =>
    (chatId: string, { accountId = first, clientId, fields }: Circumstances = {}) => {
      const client_id = clientId ?? state.chat(accountId, chatId)?.clientId ?? chatId
      const event = build({ chat_id: chatId, client_id, ...fields })
      state.change(accountId, chatId, changeOf(event))
      return botEvent(accountId, event)
    }
  const wrote = tell<Said>(clientMessage, ({ client_id, message }) => ({
    kind: 'client-wrote',
    clientId: client_id,
    text: message.text,
  }))
  return {
    /** Sends CLIENT_MESSAGE of type TEXT; another message goes into `fields`. */
    clientWrites: (chatId: string, text: string, { fields, ...rest }: Circumstances = {}) =>
      wrote(chatId, { ...rest, fields: { message: textMessage(text), ...fields } }),
    /** The client writes, but the bot gets no event. */
    clientWritesUnheard: (chatId: string, text: string, accountId = first) => {
      const clientId = state.chat(accountId, chatId)?.clientId ?? chatId
      state.change(accountId, chatId, { kind: 'client-wrote', clientId, text })
    },
    /** An agent writes. The bot gets no event for that. */
    agentWrites: (chatId: string, text: string, agentId = '1', accountId = first) =>
      state.change(accountId, chatId, { kind: 'agent-wrote', agentId, text }),
    /** Sends chat_finished with the transcript as its log. `tamper` changes the log, `fields` replace or add fields. */
    finishChat: (
      chatId: string,
      { accountId = first, fields, tamper = (lines) => lines }: Circumstances & { readonly tamper?: Tamper } = {},
    ) => {
      const messages = chatLog(tamper(state.chat(accountId, chatId)?.transcript ?? []))
      const chat = { messages, blacklisted: false, rate: null }
      return webhook(accountId, chatFinished({ chat_id: chatId, agents: [], chat, ...fields }))
    },
    /** Sends INVITE_AGENT for a chat that the service moved to an agent. */
    agentInvited: tell(inviteAgent, ({ id }) => ({ kind: 'agent-invited', by: 'service', id })),
    agentJoins: tell(agentJoined, () => ({ kind: 'agent-joined' })),
    agentUnavailable: tell(agentUnavailable, () => ({ kind: 'agent-unavailable' })),
    closeChat: tell(chatClosed, () => ({ kind: 'closed' })),
    chat: (chatId: string, accountId = first) => state.chat(accountId, chatId),
  }
}
