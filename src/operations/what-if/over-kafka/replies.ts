import * as E from 'fp-ts/lib/Either.js'
import type { ClientMessageReceived, ConversationEvent } from '../../../../contracts/events/index.ts'
import { mistakesIn } from '../../../bot/mistakes.ts'
import type { Reply } from '../../../bot/replies.ts'
import type { IncomingRecord } from '../../../domain/ports.ts'
import { fromCommand } from '../../../kafka/records.ts'
import { isObject } from '../../../shared/json.ts'
import { actOf, handOver, type Lane } from '../acts.ts'
import type { Answer } from '../judge.ts'

/** A record of bot-replies, as far as it can be read. */
export type Command = {
  readonly id: string
  readonly inReplyTo?: string
  readonly announces: boolean
  readonly reply: Reply | undefined
  /** Why it is no command at all. */
  readonly problem?: string
  /** In ms since 1970. */
  readonly at: number
}

const jsonOf = (value: Buffer | null): Readonly<Record<string, unknown>> => {
  try {
    const json: unknown = JSON.parse(`${value}`)
    return isObject(json) ? json : {}
  } catch {
    return {}
  }
}

/** What a bot has published. The reply is told as the kit has it, so that both are judged by the same rules. */
export const commandOf = (record: Pick<IncomingRecord, 'value' | 'timestamp'>): Command => {
  const json = jsonOf(record.value)
  const decoded = fromCommand(record)
  const reply =
    json.type === 'InviteAgent'
      ? { kind: 'hand-over' }
      : json.type === 'BotMessage'
        ? { kind: 'message', message: json.message }
        : undefined
  return {
    id: String(json.id),
    ...(typeof json.inReplyTo === 'string' && { inReplyTo: json.inReplyTo }),
    announces: json.expectsMore === true,
    // Whether it is one is judged next.
    reply: reply as Reply | undefined,
    ...(E.isLeft(decoded) && { problem: decoded.left.detail }),
    at: record.timestamp,
  }
}

const actOfReply = ({ reply, announces }: Command): Lane => {
  if (reply === undefined) return []
  return reply.kind === 'hand-over' ? [handOver] : isObject(reply.message) ? [actOf(reply.message, announces)] : []
}

/** What the bot did in a turn. `ms` counts from the publishing of the turn to the last reply. */
export const answerOf = (
  event: ConversationEvent,
  commands: ReadonlyArray<Command>,
  publishedAt: number,
  replyWithin: number,
): Answer => {
  const [first, last] = [commands[0], commands.at(-1)]
  const ms = last === undefined ? 0 : Math.max(0, last.at - publishedAt)
  const replies = commands.flatMap(actOfReply)
  const known = commands.flatMap(({ reply }) => reply ?? [])
  const mistakes = mistakesIn(event as ClientMessageReceived, known)
  const problems = mistakes.length > 0 ? mistakes : commands.flatMap(({ problem }) => problem ?? [])
  if (problems.length > 0) return { replies, failing: { verdict: 'refused', reason: problems.join('; ') }, ms }
  if (first !== undefined && first.at - publishedAt > replyWithin)
    return { replies: [], failing: { verdict: 'slow', reason: `no answer within ${replyWithin} ms` }, ms }
  return { replies, ms }
}
