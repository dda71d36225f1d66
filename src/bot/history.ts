import * as E from 'fp-ts/lib/Either.js'
import type { ConversationEvent } from '../../contracts/events/index.ts'
import { History, type HistoryMessage } from '../../contracts/http.ts'
import type { Sleep } from '../bridge/shared/time.ts'

/** Where a bot reads what was said: the bridge's public address, and `bot.historyToken` of each account by its id. */
export type HistorySource = { readonly url: string; readonly tokens: Readonly<Record<string, string>> }

/** A chat, the most messages, and the newest event of the chat that the bot knows: the answer has that event too. */
export type ReadHistory = (
  chat: { readonly accountId: string; readonly chatId: string },
  last: number,
  after: string | undefined,
) => Promise<ReadonlyArray<HistoryMessage>>

/** For a bot that was started without a source. */
export const noHistory: ReadHistory = async () => {
  throw new TypeError('history: expected the option `history` of startBot, with the address and tokens of the bridge')
}

const requestMs = 4_000
const againMs = 200
/** The last attempt does not name the newest event: the kit adds what it has seen itself. */
const attempts = 3

type Answer = { readonly status: number; readonly json: () => Promise<unknown> }
type Get = (url: string, headers: Readonly<Record<string, string>>, timeoutMs: number) => Promise<Answer>

const get: Get = (url, headers, timeoutMs) => fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) })

/** Reads histories from the bridge. Throws if it refuses the token, or does not answer in several attempts. */
export const historyOver =
  ({ url, tokens }: HistorySource, sleep: Sleep, request: Get = get): ReadHistory =>
  async ({ accountId, chatId }, last, after) => {
    const token = tokens[accountId]
    if (token === undefined) throw new TypeError(`history: expected a token of account ${accountId}`)
    const path = `/history/${encodeURIComponent(accountId)}/${encodeURIComponent(chatId)}`
    let reason = ''
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const query = new URLSearchParams({ last: String(last) })
      if (after !== undefined && attempt < attempts) query.set('after', after)
      const answer = await request(
        `${url.replace(/\/$/, '')}${path}?${query}`,
        { authorization: `Bearer ${token}` },
        requestMs,
      ).catch((error: unknown) => (error instanceof Error ? error.name : 'Error'))
      if (typeof answer !== 'string') {
        if (answer.status === 200) {
          // What is wrong with the body is not told: it may have words of the chat.
          const history = History.decode(await answer.json().catch(() => undefined))
          if (E.isRight(history)) return history.right.messages
        }
        if (answer.status === 404) return []
        if (answer.status === 401) throw new Error(`the bridge refuses the history token of account ${accountId}`)
      }
      reason = typeof answer === 'string' ? answer : answer.status === 200 ? 'no history' : String(answer.status)
      if (attempt < attempts) await sleep(againMs)
    }
    throw new Error(`the bridge did not give the history of a chat: ${reason}`)
  }

/** What an event adds to the history of its chat. */
export const messageOf = (event: ConversationEvent): HistoryMessage | undefined => {
  const { id, time: at } = event
  switch (event.type) {
    case 'ClientMessageReceived': {
      const { type = 'TEXT', text = '' } = event.data.message
      return { id, from: 'client', type, text, at }
    }
    case 'BotReplyDelivered': {
      const { message } = event.data
      return message && { id, from: 'bot', type: message.type ?? 'TEXT', text: message.text ?? '', at }
    }
    case 'AgentJoined':
      return { id, from: 'agent', type: 'AGENT_JOINED', text: '', at }
    default:
      return undefined
  }
}

/** The newest messages: those of the bridge, and those that the bot itself has seen since. */
export const joined = (
  read: ReadonlyArray<HistoryMessage>,
  seen: ReadonlyArray<HistoryMessage>,
  last: number,
): ReadonlyArray<HistoryMessage> => {
  const known = new Set(read.map(({ id }) => id))
  return [...read, ...seen.filter(({ id }) => !known.has(id))].slice(-last)
}

/** How many messages of a turn that were said before its answer are looked for, and left out of its history. */
export const mostAnnounced = 10

/** How the id of what a bot said ends. Before it is the id of the command, behind the last slash. */
const delivered = ':delivered'

/**
 * The history for the answer to the messages from `first` on: those of the client are last. What the bot said
 * meanwhile answers earlier messages, so it is before them. What it announced in this turn (`announced` are the ids of
 * the commands) is left out: the turn is not answered yet.
 */
export const forAnswer = (
  history: ReadonlyArray<HistoryMessage>,
  first: string,
  announced: ReadonlySet<string>,
): ReadonlyArray<HistoryMessage> => {
  const isOfBot = ({ from }: HistoryMessage) => from === 'bot'
  const commandOf = ({ id }: HistoryMessage) =>
    id.endsWith(delivered) ? id.slice(id.lastIndexOf('/') + 1, -delivered.length) : ''
  const said = history.filter((message) => !(isOfBot(message) && announced.has(commandOf(message))))
  const begin = said.findIndex(({ id }) => id === first)
  if (begin < 0) return said
  const since = said.slice(begin)
  return [...said.slice(0, begin), ...since.filter(isOfBot), ...since.filter((message) => !isOfBot(message))]
}

/** A message for the API of a model. */
export type ModelMessage = { readonly role: 'user' | 'assistant'; readonly content: string }

/**
 * The history as APIs of models take it: client and bot in turns, beginning with the client. What one of them said in a
 * row is one message. The parts of agents are left out.
 */
export const toMessages = (history: ReadonlyArray<HistoryMessage>): ReadonlyArray<ModelMessage> => {
  const messages: ModelMessage[] = []
  for (const { from, text } of history) {
    if (from === 'agent' || text === '') continue
    const role = from === 'client' ? 'user' : 'assistant'
    const last = messages.at(-1)
    if (last?.role === role) messages[messages.length - 1] = { role, content: `${last.content}\n${text}` }
    else if (last !== undefined || role === 'user') messages.push({ role, content: text })
  }
  return messages
}
