import * as E from 'fp-ts/lib/Either.js'
import { BotReply } from '../../contracts/commands/bot-reply.ts'
import type { ConversationEvent } from '../../contracts/events/index.ts'
import { describe, problemsOf } from '../../contracts/problem.ts'
import { markdown } from '../bridge/adapters/markdown.ts'
import { mistakesInCommand, mistakesInWords } from '../bridge/domain/check-reply.ts'
import type { MarkdownRule } from '../bridge/domain/message-text.ts'
import { isObject } from '../bridge/shared/json.ts'
import { commandsOf } from './commands.ts'
import { mistakesInNote } from './note.ts'
import type { Reply } from './replies.ts'

/** After these events the chat belongs to agents or is closed. The bridge suppresses replies to them. */
const afterwards: ReadonlySet<ConversationEvent['type']> = new Set(['AgentInvited', 'AgentJoined', 'ChatClosed'])

/** True if the bridge may send a reply to events of this type. */
export const canBeAnswered = (event: ConversationEvent): boolean =>
  event.data.clientId !== undefined && !afterwards.has(event.type)

const ofCommand = (command: BotReply, rule: MarkdownRule): ReadonlyArray<string> => {
  const decoded = BotReply.decode(JSON.parse(JSON.stringify(command)))
  return E.isLeft(decoded) ? [describe(problemsOf(decoded.left))] : mistakesInCommand(markdown, decoded.right, rule)
}

const known: Readonly<Record<Reply['kind'], ReadonlyArray<string>>> = {
  message: ['kind', 'message'],
  'hand-over': ['kind', 'reason', 'summary', 'fields', 'crmLink'],
}

/** What is wrong with a reply in itself. It never quotes the reply. */
const ofReply = (reply: unknown): ReadonlyArray<string> => {
  if (!isObject(reply) || !('kind' in reply) || (reply.kind !== 'message' && reply.kind !== 'hand-over'))
    return ['expected text(), markdown(), buttons() or handOver()']
  const { kind } = reply
  const unknown = Object.keys(reply)
    .filter((key) => !known[kind].includes(key))
    .map((key) => describe([{ path: key, expected: `no such key in ${kind}` }]))
  const reason = 'reason' in reply && typeof reply.reason === 'string' ? mistakesInWords('reason', reply.reason) : []
  return [...unknown, ...reason, ...(kind === 'hand-over' ? mistakesInNote({ ...reply }) : [])]
}

/**
 * Why the bridge would refuse or suppress replies to an event, or why they cannot be meant. The reasons never quote a
 * reply. Empty if the bridge would send all replies. `rule` is the account's `bot.markdown`.
 */
export const mistakesIn = (
  event: ConversationEvent,
  replies: ReadonlyArray<Reply>,
  rule: MarkdownRule = 'plain',
): ReadonlyArray<string> => {
  if (replies.length === 0) return []
  if (event.data.clientId === undefined) return ['an event without a client cannot be answered']
  if (afterwards.has(event.type)) return [`the bridge suppresses replies to ${event.type}`]
  const handedOver = replies.findIndex((reply) => isObject(reply) && reply.kind === 'hand-over')
  return replies.flatMap((reply, i) => {
    const late = handedOver >= 0 && i > handedOver ? ['it comes after handOver(), the bridge suppresses it'] : []
    const own = ofReply(reply)
    const all = own.length > 0 ? own : commandsOf(event, [reply], '').flatMap((command) => ofCommand(command, rule))
    return [...late, ...all].map((mistake) => `reply ${i + 1}: ${mistake}`)
  })
}

/** The same as `mistakesIn` for a reply that is said before the answer. */
export const mistakesInAnnouncement = (
  event: ConversationEvent,
  reply: Reply,
  rule?: MarkdownRule,
): ReadonlyArray<string> =>
  isObject(reply) && reply.kind === 'hand-over'
    ? ['expected a message: return handOver() as the answer']
    : mistakesIn(event, [reply], rule)

/** Why an announcement without an answer cannot be meant: the client would wait in vain. */
export const announcedOnly = 'say() announces an answer: expected a reply'

const oldestNode = 22
/** The first Node that runs .ts files as they are. */
const nodeOfTypes = '22.18'

/** Why the kit does not run on this version of Node. */
export const problemOfNode = (version: string): string | undefined =>
  Number.parseInt(version, 10) >= oldestNode
    ? undefined
    : `expected Node ${oldestNode} or later, and Node ${nodeOfTypes} or later for a bot in a .ts file; this is Node ${version}`
