import { clientMessage, textMessage } from '../../../../src/tools/simulator/bot-events.ts'
import { serve } from '../worker.ts'
import { openConnection } from './connection.ts'
import { openLoop } from './loops.ts'
import { type Answered, startListening } from './service.ts'

type Talk = {
  readonly kind: 'talk'
  /** The address for client messages. */
  readonly url: string
  readonly rate: number
  readonly seconds: number
  /** This many at a time; a chat ends after `perChat` messages, and another begins. */
  readonly chats: number
  readonly perChat: number
}
export type TalkAsk = Talk | { readonly kind: 'listen' }
export type TalkGiven = { readonly url: string; readonly talk?: Answered & { readonly refused: number } }

const atOnce = 64
const service = await startListening()
let run = 0
/** The number of messages so far by address: a later run continues with the chats of the previous one. */
const posted = new Map<string, number>()

const requestOf = ({ pathname, host }: URL, text: string, chatId: string) => {
  const ids = { id: `message-${text}`, chat_id: chatId, client_id: chatId }
  const body = JSON.stringify(clientMessage({ ...ids, message: textMessage(text) }))
  const head = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json`
  return Buffer.from(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

/**
 * Posts clients' messages at a fixed rate, independent of the responses. Returns when the messages with a 200 were due,
 * and how many had another response. The service expects no bot reply to those: it hands the client to an agent.
 */
const post = async ({ url, rate, seconds, chats, perChat }: Talk, id: string) => {
  const address = new URL(url)
  const open = () => openConnection(Number(address.port))
  const connections = await Promise.all(Array.from({ length: atOnce }, open))
  const texts = new Map<number, string>()
  const due = new Map<string, number>()
  const next = (since: number) => {
    const number = posted.get(url) ?? 0
    posted.set(url, number + 1)
    const over = chats * Math.floor(number / (chats * perChat))
    const [text, chat] = [`${id}-${texts.size}`, 1 + over + (number % chats)]
    texts.set(since, text)
    return requestOf(address, text, String(chat))
  }
  const heard = (status: number, since: number) => {
    if (status === 200) due.set(texts.get(since) ?? '', since)
  }
  await openLoop({ connections, seconds, next, heard }, rate)
  for (const connection of connections) connection.close()
  return { due, refused: texts.size - due.size }
}

serve<TalkAsk>(async (ask): Promise<TalkGiven> => {
  const { url } = service
  if (ask.kind === 'listen') return { url }
  const { due, refused } = await post(ask, `${process.pid}-${run++}`)
  return { url, talk: { ...(await service.answered(due)), refused } }
})
