import { clientMessage, textMessage } from '../../../src/simulator/bot-events.ts'
import { generate } from '../../support/generate.ts'

const seed = 7
// Seven digits, so that a request's length never changes: up to nine million for each chat.
export const firstNumber = 1_000_000

export type Bodies = {
  /** The request with this number. Numbers go through the chats in turn, and each body is unique. */
  readonly request: (number: number) => Buffer
}

const template = (path: string, body: string, host: string) => {
  const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`
  const request = Buffer.from(head + body)
  return { request, at: request.indexOf(`:${firstNumber}`) + 1 }
}

/** A chat_accepted of about 1.3 KB for a chat; `visitor.chats_count` numbers it. */
export const chatAcceptedOf = (chatId: number, number: number) => {
  const [payload] = generate(seed, 1, { chats: 1, firstChatId: chatId })
  if (payload === undefined) throw new Error('no payload was generated')
  return { ...payload, visitor: { ...payload.visitor, chats_count: number } }
}

/** A client's message; the end of its id numbers it. */
const clientMessageOf = (chatId: number, number: number) =>
  clientMessage({
    id: `${chatId}:${number}`,
    chat_id: String(chatId),
    client_id: String(chatId),
    message: textMessage('Hello'),
  })

/** Requests are prepared except for their number, so that each costs a copy. Interface B's path gets messages. */
export const bodies = (path: string, host: string, chats: number): Bodies => {
  const bodyOf = path.startsWith('/bot/') ? clientMessageOf : chatAcceptedOf
  const templates = Array.from({ length: chats }, (_, chat) =>
    template(path, JSON.stringify(bodyOf(chat + 1, firstNumber)), host),
  )
  return {
    request: (number) => {
      const { request, at } = templates[number % chats] ?? template(path, '', host)
      const copy = Buffer.from(request)
      copy.write(String(firstNumber + Math.floor(number / chats)), at, 'latin1')
      return copy
    },
  }
}
