import * as E from 'fp-ts/lib/Either.js'
import { BotReply } from '../../contracts/commands/bot-reply.ts'
import type { ConversationEvent } from '../../contracts/events/index.ts'
import { describe, problemsOf } from '../../contracts/problem.ts'
import { unsupportedMarkdown } from '../domain/message-text.ts'
import { isObject } from '../shared/json.ts'
import { commandsOf } from './commands.ts'
import type { Reply } from './replies.ts'

/** After these events the chat belongs to agents or is closed. The bridge suppresses replies to them. */
const afterwards: ReadonlySet<ConversationEvent['type']> = new Set(['AgentInvited', 'AgentJoined', 'ChatClosed'])

/** True if the bridge may send a reply to events of this type. */
export const canBeAnswered = (event: ConversationEvent): boolean =>
  event.data.clientId !== undefined && !afterwards.has(event.type)

const ofMarkdown = (command: BotReply): ReadonlyArray<string> => {
  if (command.type !== 'BotMessage' || command.message.type !== 'MARKDOWN') return []
  const unsupported = unsupportedMarkdown(command.message.content)
  if (unsupported.length === 0) return []
  return [`message.content: expected links, bold and italic only, found ${unsupported.join(', ')}`]
}

const ofCommand = (command: BotReply): ReadonlyArray<string> => {
  const decoded = BotReply.decode(JSON.parse(JSON.stringify(command)))
  return E.isLeft(decoded) ? [describe(problemsOf(decoded.left))] : ofMarkdown(decoded.right)
}

const known: Readonly<Record<string, ReadonlyArray<string>>> = {
  message: ['kind', 'message'],
  'hand-over': ['kind', 'reason'],
  TEXT: ['type', 'text', 'timestamp'],
  MARKDOWN: ['type', 'content', 'text', 'timestamp'],
  BUTTONS: ['type', 'title', 'buttons', 'text', 'timestamp', 'forceReply', 'force_reply'],
}

const unknownKeys = (of: string, given: object, path: string): ReadonlyArray<string> =>
  Object.keys(given)
    .filter((key) => !(known[of] ?? []).includes(key))
    .map((key) => `${path}${key}: expected no such key in ${of}`)

/** A chat shows a message of some thousand characters. What is longer than this is a mistake, such as a whole file. */
const mostCharacters = 65_536

const ofWords = (path: string, words: unknown): ReadonlyArray<string> => {
  if (typeof words !== 'string') return []
  if (words.trim() === '') return [`${path}: expected words, found none`]
  return words.length > mostCharacters ? [`${path}: expected at most ${mostCharacters} characters`] : []
}

const ofMessage = (message: unknown): ReadonlyArray<string> => {
  if (!isObject(message) || !('type' in message) || typeof message.type !== 'string') return []
  const fields: Readonly<Record<string, unknown>> = { ...message }
  const words = ['text', 'content', 'title'].flatMap((name) => ofWords(`message.${name}`, fields[name]))
  const answers = Array.isArray(fields.buttons)
    ? fields.buttons.flatMap((button: unknown, i) => [
        ...ofWords(`message.buttons.${i}.text`, isObject(button) && 'text' in button ? button.text : undefined),
        ...(isObject(button)
          ? Object.keys(button)
              .filter((key) => key !== 'id' && key !== 'text')
              .map((key) => `message.buttons.${i}.${key}: expected no such key in a button`)
          : []),
      ])
    : []
  return [...unknownKeys(message.type, message, 'message.'), ...words, ...answers]
}

/** What is wrong with a reply in itself. It never quotes the reply. */
const ofReply = (reply: unknown): ReadonlyArray<string> => {
  if (!isObject(reply) || !('kind' in reply) || (reply.kind !== 'message' && reply.kind !== 'hand-over'))
    return ['expected text(), markdown(), buttons() or handOver()']
  const message = 'message' in reply ? reply.message : undefined
  const reason = 'reason' in reply ? reply.reason : undefined
  return [...unknownKeys(reply.kind, reply, ''), ...ofMessage(message), ...ofWords('reason', reason)]
}

/**
 * Why the bridge would refuse or suppress replies to an event, or why they cannot be meant. The reasons never quote a
 * reply. Empty if the bridge would send all replies.
 */
export const mistakesIn = (event: ConversationEvent, replies: ReadonlyArray<Reply>): ReadonlyArray<string> => {
  if (replies.length === 0) return []
  if (event.data.clientId === undefined) return ['an event without a client cannot be answered']
  if (afterwards.has(event.type)) return [`the bridge suppresses replies to ${event.type}`]
  const handedOver = replies.findIndex((reply) => isObject(reply) && reply.kind === 'hand-over')
  return replies.flatMap((reply, i) => {
    const late = handedOver >= 0 && i > handedOver ? ['it comes after handOver(), the bridge suppresses it'] : []
    const own = ofReply(reply)
    const all = own.length > 0 ? own : commandsOf(event, [reply], '').flatMap(ofCommand)
    return [...late, ...all].map((mistake) => `reply ${i + 1}: ${mistake}`)
  })
}
