import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import type { BotReply } from '../../../../contracts/commands/bot-reply.ts'
import type { ConversationEvent } from '../../../../contracts/events/index.ts'
import type { Undecodable } from '../../../bridge/domain/decode-json.ts'
import type { IncomingRecord } from '../../../bridge/domain/log/record.ts'
import { fromCommand } from '../../../bridge/kafka/records.ts'
import { mistakesIn } from '../../mistakes.ts'
import type { Reply } from '../../replies.ts'
import { type Acts, actOf, handOver } from '../acts.ts'
import type { Answer } from '../judge.ts'

/** A record of bot-replies, as far as it can be read. */
export type Command = {
  readonly id: string
  readonly inReplyTo?: string
  /** What the bot does, also if the bridge would refuse it. */
  readonly acts: Acts
  /** The reply as the kit has it. Left: why it is no command at all. */
  readonly reply: E.Either<string, Reply>
  /** In ms since 1970. */
  readonly at: number
}

const Fields = t.partial({
  id: t.unknown,
  type: t.unknown,
  inReplyTo: t.unknown,
  expectsMore: t.unknown,
  message: t.unknown,
})

const fieldsOf = (value: Buffer | null): t.TypeOf<typeof Fields> => {
  const json = E.tryCatch((): unknown => JSON.parse(`${value}`), E.toError)
  const fields = E.isRight(json) ? Fields.decode(json.right) : json
  return E.isRight(fields) ? fields.right : {}
}

const actsOf = ({ type, message, expectsMore }: t.TypeOf<typeof Fields>): Acts => {
  if (type === 'InviteAgent') return [handOver]
  return type === 'BotMessage' && t.UnknownRecord.is(message) ? [actOf(message, expectsMore === true)] : []
}

const replyOf = (command: BotReply): Reply =>
  command.type === 'InviteAgent' ? { kind: 'hand-over' } : { kind: 'message', message: command.message }

/** What a bot has published. The reply is as the kit has it, so that both are judged by the same rules. */
export const commandOf = (record: Pick<IncomingRecord, 'value' | 'timestamp'>): Command => {
  const fields = fieldsOf(record.value)
  return {
    id: String(fields.id),
    ...(typeof fields.inReplyTo === 'string' && { inReplyTo: fields.inReplyTo }),
    acts: actsOf(fields),
    reply: E.bimap(({ detail }: Undecodable) => detail, replyOf)(fromCommand(record)),
    at: record.timestamp,
  }
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
  const replies = commands.flatMap(({ acts }) => acts)
  const known = commands.flatMap(({ reply }) => (E.isRight(reply) ? [reply.right] : []))
  const undecodable = commands.flatMap(({ reply }) => (E.isLeft(reply) ? [reply.left] : []))
  const problems = [...mistakesIn(event, known), ...undecodable]
  if (problems.length > 0) return { replies, failing: { verdict: 'refused', reason: problems.join('; ') }, ms }
  if (first !== undefined && first.at - publishedAt > replyWithin)
    return { replies: [], failing: { verdict: 'slow', reason: `no answer within ${replyWithin} ms` }, ms }
  return { replies, ms }
}
