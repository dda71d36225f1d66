import { clientMessage, textMessage } from '../../../../src/tools/simulator/bot-events.ts'
import { generate } from '../../../support/generate.ts'

const seed = 7
// Numbers of chats and of events keep their length, so that a request's length never changes.
const firstChat = 100_000_000
export const firstNumber = 1_000_000

/** So many chats at a time. Each ends after `perChat` events, and another begins, as at a service that people use. */
export type Chats = { readonly chats: number; readonly perChat: number }

type Bodies = {
  /** The request with this number. Numbers go through the chats in turn, and each body is unique. */
  readonly request: (number: number) => Buffer
}

export type ChatEvent = { readonly chat: string; readonly number: number }

/** The chat of the request with this number, and what numbers the event within its chat. */
export const eventOf = ({ chats, perChat }: Chats, number: number): ChatEvent => {
  const round = Math.floor(number / chats)
  const inChat = round % perChat
  const chat = firstChat + ((round - inChat) / perChat) * chats + (number % chats)
  return { chat: String(chat), number: firstNumber + inChat }
}

const placesOf = (request: Buffer, text: string): ReadonlyArray<number> => {
  const places: number[] = []
  for (let at = request.indexOf(text); at >= 0; at = request.indexOf(text, at + text.length)) places.push(at)
  return places
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

/** Requests are prepared except for their numbers, so that each costs a copy. Interface B's path gets messages. */
export const bodies = (path: string, host: string, chats: Chats): Bodies => {
  const bodyOf = path.startsWith('/bot/') ? clientMessageOf : chatAcceptedOf
  const body = JSON.stringify(bodyOf(firstChat, firstNumber))
  const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`
  const prepared = Buffer.from(head + body)
  const chatPlaces = placesOf(prepared, String(firstChat))
  const numberPlace = prepared.indexOf(`:${firstNumber}`) + 1
  return {
    request: (number) => {
      const event = eventOf(chats, number)
      const copy = Buffer.from(prepared)
      for (const place of chatPlaces) copy.write(event.chat, place, 'latin1')
      copy.write(String(event.number), numberPlace, 'latin1')
      return copy
    },
  }
}
