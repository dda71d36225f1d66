import { clientMessage, textMessage } from '../../../src/simulator/bot-events.ts'
import { serve } from '../worker.ts'
import { openConnection } from './connection.ts'
import { openLoop } from './loops.ts'
import { type Answered, startListening } from './service.ts'

type Talk = {
  readonly kind: 'talk'
  /** Where client messages are posted. */
  readonly url: string
  readonly rate: number
  readonly seconds: number
  readonly chats: number
}
export type TalkAsk = Talk | { readonly kind: 'listen' }
export type TalkGiven = { readonly url: string; readonly talk?: Answered & { readonly refused: number } }

const atOnce = 64
const service = await startListening()
let run = 0

const requestOf = ({ pathname, host }: URL, text: string, chatId: string) => {
  const ids = { id: `message-${text}`, chat_id: chatId, client_id: chatId }
  const body = JSON.stringify(clientMessage({ ...ids, message: textMessage(text) }))
  const head = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json`
  return Buffer.from(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

/** Posts clients' messages at a fixed rate, whatever becomes of them: when each was due, and how many were not answered 200. */
const post = async ({ url, rate, seconds, chats }: Talk, id: string) => {
  const address = new URL(url)
  const open = () => openConnection(Number(address.port))
  const connections = await Promise.all(Array.from({ length: atOnce }, open))
  const due = new Map<string, number>()
  let ok = 0
  const next = (since: number) => {
    const text = `${id}-${due.size}`
    due.set(text, since)
    return requestOf(address, text, String(1 + (due.size % chats)))
  }
  const heard = (status: number) => {
    if (status === 200) ok++
  }
  await openLoop({ connections, seconds, next, heard }, rate)
  for (const connection of connections) connection.close()
  return { due, refused: due.size - ok }
}

serve<TalkAsk>(async (ask): Promise<TalkGiven> => {
  const { url } = service
  if (ask.kind === 'listen') return { url }
  const { due, refused } = await post(ask, `${process.pid}-${run++}`)
  return { url, talk: { ...(await service.answered(due)), refused } }
})
