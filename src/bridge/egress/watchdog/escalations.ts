import { createHash } from 'node:crypto'
import type { BotReply } from '../../../../contracts/commands/bot-reply.ts'
import type { Because } from '../../../../contracts/events/index.ts'
import { Id } from '../../../../contracts/primitives.ts'
import type { BotAccount } from '../../domain/accounts.ts'
import { type Conversation, type SuppressedReason, takenReasonAt } from '../../domain/conversation.ts'
import { dayMs } from '../../shared/time.ts'
import type { KnownConversation } from '../conversation/known-conversation.ts'
import type { BotOwner } from '../delivery/check-command.ts'

/**
 * What the bridge itself must do for a client without a reply. `about` is the ce_id of the event that nobody answered.
 * `dueAt` is in ms, on the same clock as the times of `Waiting`.
 */
export type Escalation = {
  readonly kind: 'invite-agent' | 'tell-unavailable'
  readonly about: Id
  readonly because: Because
  readonly dueAt: number
}

/** `moreSince` is when the bot announced the answer: from then on it has `replyWithin` once more. */
type Since = { readonly id: Id; readonly at: number; readonly moreSince?: number }
type Unanswered = Since & Pick<Conversation['unanswered'][number], 'status'>

/**
 * Who waits in a conversation, and since when: `at` is in ms, on the same clock as `dueAt`. `unheard` is the newest
 * AGENT_UNAVAILABLE after which neither the bot nor the bridge has written, `handOverFailed` the newest failure of a
 * hand-over since which no agent was invited.
 */
export type Waiting = Pick<Conversation, 'state'> & {
  readonly unanswered: ReadonlyArray<Unanswered>
  readonly unheard?: Unanswered
  readonly handOverFailed?: Since
}

type SinceOf = (id: Id, at: Date) => number

const sinceIn = ({ id, at, moreSince }: NonNullable<Conversation['unheard']>, sinceOf: SinceOf): Since => ({
  id,
  at: sinceOf(id, at),
  ...(moreSince && { moreSince: sinceOf(`more/${id}` as Id, moreSince) }),
})

const unansweredIn = (about: NonNullable<Conversation['unheard']>, sinceOf: SinceOf): Unanswered => ({
  ...sinceIn(about, sinceOf),
  ...(about.status && { status: about.status }),
})

export const waitingOf = ({ state, unanswered, unheard, handOverFailed }: Conversation, sinceOf: SinceOf): Waiting => ({
  state,
  unanswered: unanswered.map((message) => unansweredIn(message, sinceOf)),
  ...(unheard && { unheard: unansweredIn(unheard, sinceOf) }),
  ...(handOverFailed && {
    handOverFailed: { id: handOverFailed.id, at: sinceOf(handOverFailed.id, handOverFailed.at) },
  }),
})

const waitsSince = ({ at, moreSince = at }: Since): number => Math.max(at, moreSince)

/**
 * A day: messengers let a business reply to a client for this long, so a client may wait as long. Older messages are
 * left alone when the bridge comes back, because agents would find nobody there.
 */
export const longestWaitMs = dayMs

/**
 * What AGENT_UNAVAILABLE needs: the account's text, if the bot does not answer it. If the bot's answer has failed, the
 * text at once. Without a text, one more invitation.
 */
const unheardEscalation = (
  unheard: Unanswered,
  { replyWithin, agentUnavailableText }: Pick<BotAccount, 'replyWithin' | 'agentUnavailableText'>,
): Escalation | undefined => {
  const { id: about, at, status } = unheard
  if (agentUnavailableText !== undefined)
    return {
      kind: 'tell-unavailable',
      about,
      because: 'agent-unavailable',
      dueAt: status === undefined ? waitsSince(unheard) + replyWithin : at,
    }
  return status === 'reply-failed' ? { kind: 'invite-agent', about, because: 'delivery-failed', dueAt: at } : undefined
}

/**
 * The escalations of a conversation, due or not. A turn is what the client has written since the last reply or
 * invitation. Only its first message counts, so there is one invitation for a turn. If the reply to it has failed, the
 * escalation is due at once, and so it is if a hand-over has failed.
 */
export const escalationsOf = (
  { state, unanswered, unheard, handOverFailed }: Waiting,
  bot: Pick<BotAccount, 'replyWithin' | 'agentUnavailableText'>,
  nowMs: number,
): ReadonlyArray<Escalation> => {
  if (state !== 'bot' && state !== 'unavailable') return []
  const isWorthIt = ({ at }: { readonly at: number }) => at > nowMs - longestWaitMs
  const turn = unanswered.find((message) => message.status !== 'agent-asked' && isWorthIt(message))
  const escalations: ReadonlyArray<Escalation | undefined> = [
    turn && {
      kind: 'invite-agent',
      about: turn.id,
      because: turn.status === 'reply-failed' ? 'delivery-failed' : 'no-reply-in-time',
      dueAt: turn.status === 'reply-failed' ? turn.at : waitsSince(turn) + bot.replyWithin,
    },
    handOverFailed && isWorthIt(handOverFailed)
      ? {
          kind: 'invite-agent',
          about: handOverFailed.id,
          because: 'delivery-failed',
          dueAt: handOverFailed.at,
        }
      : undefined,
    unheard && isWorthIt(unheard) ? unheardEscalation(unheard, bot) : undefined,
  ]
  return escalations.filter((escalation) => escalation !== undefined)
}

/** The same id for an escalation each time, in any worker: `watchdog-9661ab9c`. Hashed if that would be no Id. */
const ownId = (about: Id): Id => {
  const plain = `watchdog-${about}`
  return Id.is(plain) ? plain : (`watchdog-${createHash('sha256').update(about).digest('hex')}` as Id)
}

type Chat = { readonly account: BotOwner; readonly chatId: Id; readonly clientId: Id }

/** The command for an escalation. */
export const ownCommand = ({ account, chatId, clientId }: Chat, { kind, about }: Escalation): BotReply => {
  const addressed = { id: ownId(about), accountId: account.id, chatId, clientId, inReplyTo: about }
  return kind === 'invite-agent'
    ? { type: 'InviteAgent', ...addressed }
    : { type: 'BotMessage', ...addressed, message: { type: 'TEXT', text: account.bot.agentUnavailableText ?? '' } }
}

const isOpen = (conversation: Conversation, { kind, about }: Escalation): boolean =>
  kind === 'invite-agent'
    ? conversation.unanswered.some(({ id, status }) => id === about && status !== 'agent-asked') ||
      conversation.handOverFailed?.id === about ||
      (conversation.unheard?.id === about && conversation.unheard.status === 'reply-failed')
    : conversation.unheard?.id === about

/**
 * Whether an escalation is still needed: not if an agent has the conversation, or somebody has answered. While the
 * views cannot be read, nobody is known to have answered: an unnecessary invitation is better than a client in silence.
 */
export const isStillOpen = (
  escalation: Escalation,
  { conversation, isWhole }: KnownConversation,
  at: Date,
): 'send' | SuppressedReason =>
  takenReasonAt(conversation, at) ?? (!isWhole || isOpen(conversation, escalation) ? 'send' : 'answered')
