import type { Because } from '../../../contracts/events/index.ts'
import type { Id, Instant } from '../../../contracts/primitives.ts'
import type { BotAccount } from '../../domain/accounts.ts'
import type { Conversation } from '../../domain/conversation.ts'

/**
 * What the bridge itself has to do for a client whom nobody answers, `about` the event (its ce_id) that nobody answered:
 * at `dueAt`, in ms of whatever clock the times of `Waiting` are of.
 */
export type Chore = {
  readonly kind: 'invite-agent' | 'tell-unavailable'
  readonly about: Id
  readonly because: Because
  readonly dueAt: number
}

type Since = { readonly id: Id; readonly at: number }
type Unanswered = Since & Pick<Conversation['unanswered'][number], 'status'>

/** Who waits in a conversation, and since when: `at` in ms of the clock that the chores' times are of. */
export type Waiting = Pick<Conversation, 'state'> & {
  readonly unanswered: ReadonlyArray<Unanswered>
  readonly unheard?: Since
}

export const waitingOf = (
  { state, unanswered, unheard }: Conversation,
  sinceOf: (id: Id, at: Instant) => number,
): Waiting => ({
  state,
  unanswered: unanswered.map((message) => ({ ...message, at: sinceOf(message.id, message.at) })),
  ...(unheard && { unheard: { id: unheard.id, at: sinceOf(unheard.id, unheard.at) } }),
})

/**
 * A day: as long as messengers let a business answer a client, and so as long as one may still wait for it. What is older
 * when the bridge comes back is left alone, since agents would find nobody there.
 */
export const patienceMs = 24 * 3_600_000

/**
 * The chores of a conversation, due or not. A turn is what the client has written since somebody last answered or was asked
 * for: its first message alone counts, so that there is one invitation for a turn. Where the reply to it was given up,
 * nothing is to be waited for.
 */
export const choresOf = (
  { state, unanswered, unheard }: Waiting,
  { replyWithin, agentUnavailableText }: Pick<BotAccount, 'replyWithin' | 'agentUnavailableText'>,
  nowMs: number,
): ReadonlyArray<Chore> => {
  if (state !== 'bot' && state !== 'unavailable') return []
  const isWorthIt = ({ at }: { readonly at: number }) => at > nowMs - patienceMs
  const turn = unanswered.find((message) => message.status !== 'agent-asked' && isWorthIt(message))
  const chores: ReadonlyArray<Chore | undefined> = [
    turn && {
      kind: 'invite-agent',
      about: turn.id,
      because: turn.status === 'reply-failed' ? 'delivery-failed' : 'no-reply-in-time',
      dueAt: turn.status === 'reply-failed' ? turn.at : turn.at + replyWithin,
    },
    agentUnavailableText !== undefined && unheard && isWorthIt(unheard)
      ? {
          kind: 'tell-unavailable',
          about: unheard.id,
          because: 'agent-unavailable',
          dueAt: unheard.at + replyWithin,
        }
      : undefined,
  ]
  return chores.filter((chore) => chore !== undefined)
}
