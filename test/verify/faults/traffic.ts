import { clientMessage, textMessage } from '../../../src/tools/simulator/bot-events.ts'
import { oddForm } from '../../../src/tools/simulator/odd-forms.ts'
import { chatAccepted, chatAssigned, chatUpdated, clientUpdated } from '../../../src/tools/simulator/payloads.ts'
import type { LogRecord } from './history.ts'

/** An event to post: its chat, its number in the chat, and the request. */
export type Event = {
  readonly chat: string
  readonly seq: number
  readonly api: 'webhooks' | 'bot'
  readonly body: string
}

const webhooks = [chatAccepted, chatUpdated, chatAssigned]
const { visitor } = chatAccepted()

/** Interface A's event: its number in the chat is `visitor.chats_count`. */
export const webhook = (chatId: number, seq: number): Event => {
  const build = webhooks[seq % webhooks.length] ?? chatAccepted
  const numbered = { ...visitor, number: String(chatId), chats_count: seq }
  const payload = build({ chat_id: chatId, user_token: `user-${chatId}`, visitor: numbered })
  return { chat: `chats acme/${chatId}`, seq, api: 'webhooks', body: JSON.stringify(payload) }
}

/** Interface A's event about a client, numbered in the same way. */
export const clientWebhook = (clientId: number, seq: number): Event => {
  const numbered = { ...visitor, number: String(clientId), chats_count: seq }
  const payload = clientUpdated({ client_id: String(clientId), visitor: numbered })
  return { chat: `clients acme/${clientId}`, seq, api: 'webhooks', body: JSON.stringify(payload) }
}

/** Interface B's event: its number in the chat is the message's text. */
export const message = (chatId: number, seq: number): Event => {
  const ids = { id: `m-${chatId}-${seq}`, chat_id: String(chatId), client_id: String(chatId) }
  const body = JSON.stringify(clientMessage({ ...ids, message: textMessage(String(seq)) }))
  return { chat: `bot-conversations acme/${chatId}`, seq, api: 'bot', body }
}

/** An event with one odd field. The field that holds its number stays as it is. */
export const inOddForm = (event: Event, random: () => number): Event => {
  const kept = [
    ['visitor', 'chats_count'],
    ['message', 'text'],
  ]
  return { ...event, body: JSON.stringify(oddForm(JSON.parse(event.body), random, kept).payload) }
}

type Data = { readonly visitor?: { readonly chatsCount?: number }; readonly message?: { readonly text?: string } }

/** The number in the value of a record that the recorder caused. */
export const seqOf = (value: Buffer | null): LogRecord['seq'] => {
  try {
    const data: Data = JSON.parse(value?.toString() ?? '')
    const seq = Number(data.visitor?.chatsCount ?? data.message?.text)
    return Number.isInteger(seq) ? seq : undefined
  } catch {
    return undefined
  }
}
