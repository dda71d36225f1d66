import * as E from 'fp-ts/lib/Either.js'
import { BotReply } from '../../contracts/commands/bot-reply.ts'
import type { ConversationEvent } from '../../contracts/events/index.ts'
import { describe, problemsOf } from '../../contracts/problem.ts'
import { unsupportedMarkdown } from '../domain/message-text.ts'
import { commandsOf } from './commands.ts'
import type { Reply } from './replies.ts'

/** After these events the chat belongs to agents or is closed. The bridge suppresses replies to them. */
const afterwards: ReadonlySet<ConversationEvent['type']> = new Set(['AgentInvited', 'AgentJoined', 'ChatClosed'])

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

/**
 * Why the bridge would refuse or suppress replies to an event. The reasons never quote a reply. Empty if the bridge
 * would send all replies.
 */
export const mistakesIn = (event: ConversationEvent, replies: ReadonlyArray<Reply>): ReadonlyArray<string> => {
  if (replies.length === 0) return []
  if (event.data.clientId === undefined) return ['an event without a client cannot be answered']
  if (afterwards.has(event.type)) return [`the bridge suppresses replies to ${event.type}`]
  const handedOver = replies.findIndex(({ kind }) => kind === 'hand-over')
  return commandsOf(event, replies, '').flatMap((command, i) => {
    const late = handedOver >= 0 && i > handedOver ? ['it comes after handOver(), the bridge suppresses it'] : []
    return [...late, ...ofCommand(command)].map((mistake) => `reply ${i + 1}: ${mistake}`)
  })
}
