import { createHash } from 'node:crypto'
import type { BotReply } from '../../contracts/commands/bot-reply.ts'
import type { ConversationEvent } from '../../contracts/events/index.ts'
import { Id } from '../../contracts/primitives.ts'
import type { Outcome } from './handlers.ts'
import type { Reply } from './replies.ts'

type Named = {
  readonly type: string
  readonly id: string
  readonly data: { readonly accountId: string; readonly chatId: string }
}

/**
 * The same event, place and group give the same id. So an event that is read twice gets one reply. Bots of two groups
 * have different ids, so each of them replies.
 */
const commandIdOf = ({ type, id, data }: Named, place: string, group: string): Id => {
  const named = [group, type, data.accountId, data.chatId, id, place].join('\n')
  return `bot-${createHash('sha256').update(named).digest('base64url').slice(0, 27)}` as Id
}

/** More replies than this has no answer to a message. */
const mostReplies = 50
/** How many messages are remembered until their outcomes have come. */
const mostRemembered = 1_000

/**
 * Finds messages that another command answers beside this group's: each group answers all chats. Returns true for an
 * outcome that shows it. What a turn announces is left out: its ids are those of a message that the outcome does not name.
 */
export const otherAnswers = (group: string): ((outcome: Outcome) => boolean) => {
  /** Whether the answers to a message so far are of this group (`own`), or another's. */
  const answered = new Map<string, { own: boolean; other: boolean }>()
  return ({ data }) => {
    const { accountId, chatId, commandId, inReplyTo, because, expectsMore } = data
    if (inReplyTo === undefined || because !== undefined || expectsMore === true) return false
    const places = Array.from({ length: mostReplies }, (_, place) => String(place))
    const message = { type: 'ClientMessageReceived', id: inReplyTo, data } as const
    const isOwn = places.some((place) => commandId === commandIdOf(message, place, group))
    const name = `${accountId}/${chatId}/${inReplyTo}`
    const found = answered.get(name) ?? { own: false, other: false }
    answered.delete(name)
    answered.set(name, isOwn ? { ...found, own: true } : { ...found, other: true })
    const [oldest] = answered.keys()
    if (answered.size > mostRemembered && oldest !== undefined) answered.delete(oldest)
    return isOwn ? found.other : found.own
  }
}

/** Undefined if the event has no client: nobody could get the reply. */
const commandOf = (event: ConversationEvent, reply: Reply, id: Id, group: string): BotReply | undefined => {
  const { accountId, chatId, clientId } = event.data
  if (clientId === undefined) return undefined
  const inReplyTo = event.type === 'ClientMessageReceived' ? { inReplyTo: event.id } : {}
  const command = { id, accountId, chatId, clientId, ...inReplyTo, ...(Id.is(group) && { group }) }
  return reply.kind === 'hand-over'
    ? { type: 'InviteAgent', ...command, ...(reply.reason !== undefined && { reason: reply.reason }) }
    : { type: 'BotMessage', ...command, message: reply.message }
}

/** The commands with a group's replies to an event, in their order. An event without a client cannot get a reply. */
export const commandsOf = (
  event: ConversationEvent,
  replies: ReadonlyArray<Reply>,
  group: string,
): ReadonlyArray<BotReply> =>
  replies.flatMap((reply, place) => commandOf(event, reply, commandIdOf(event, String(place), group), group) ?? [])

/** The ids of the first commands with what a turn says before its answer. */
export const announcementIds = (first: ConversationEvent, group: string, count: number): ReadonlySet<string> =>
  new Set(Array.from({ length: count }, (_, place) => commandIdOf(first, `say ${place}`, group)))

/**
 * The command for what a bot says before its answer. It answers the newest message, and its id is that of the turn's
 * first one: a turn that begins again with one more message does not say the same twice.
 */
export const announcementOf = (
  [first, newest]: readonly [ConversationEvent, ConversationEvent],
  reply: Reply,
  place: number,
  group: string,
): BotReply | undefined => {
  const command = commandOf(newest, reply, commandIdOf(first, `say ${place}`, group), group)
  return command?.type === 'BotMessage' ? { ...command, expectsMore: true } : command
}
