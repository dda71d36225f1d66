import type {
  BotReplyDelivered,
  BotReplyFailed,
  BotReplySuppressed,
  DomainEvent,
} from '../../../contracts/events/index.ts'

type OutcomeEvent = BotReplyDelivered | BotReplyFailed | BotReplySuppressed

/**
 * What fencing and de-duplication need of an event of bot-conversations. `id` is the event's as `seen` of the views has it;
 * `at` in ms since 1970: when it was taken in, for a delivered command when its last attempt began.
 */
export type Fact = { readonly id: string; readonly at: number } & (
  | { readonly kind: 'invited' | 'joined' | 'unavailable' | 'closed' }
  | { readonly kind: 'client-message'; readonly messageId: string }
  | {
      readonly kind: 'finished'
      readonly commandId: string
      readonly commandType: 'BotMessage' | 'InviteAgent'
      readonly outcome: 'delivered' | 'failed' | 'suppressed'
    }
)

/** A command that was refused unsent may come again under its id, corrected by its author or redriven by an operator. */
const wasRefused = (reason: string | undefined) => reason === 'invalid' || reason === 'unknown-account'

/** Whether a delivery that ended so is never to be sent again. */
export const isFinal = (state: string, reason: string | undefined): boolean =>
  state !== 'pending' && !(state === 'failed' && wasRefused(reason))

/** An event in `seen` (contracts/views/applied.ts): `bot/<ce_id>`. */
const identity = ({ source, id }: DomainEvent) => `${source.slice(source.lastIndexOf('/') + 1)}/${id}`

const seenOf = (event: DomainEvent) => ({ id: identity(event), at: Date.parse(event.time) })

const finished = (event: OutcomeEvent) => {
  const { commandId, commandType } = event.data
  return { ...seenOf(event), kind: 'finished', commandId, commandType } as const
}

/** The fact of an event, if it has one. */
export const factOf = (event: DomainEvent): Fact | undefined => {
  const seen = seenOf(event)
  switch (event.type) {
    case 'ClientMessageReceived':
      return { ...seen, kind: 'client-message', messageId: event.id }
    case 'AgentInvited':
      return { ...seen, kind: 'invited' }
    case 'AgentJoined':
      return { ...seen, kind: 'joined' }
    case 'AgentUnavailable':
      return { ...seen, kind: 'unavailable' }
    case 'ChatClosed':
      return { ...seen, kind: 'closed' }
    case 'BotReplyDelivered':
      return { ...finished(event), at: Date.parse(event.data.attempts.at(-1)?.at ?? event.time), outcome: 'delivered' }
    case 'BotReplyFailed':
      return wasRefused(event.data.reason) ? undefined : { ...finished(event), outcome: 'failed' }
    case 'BotReplySuppressed':
      return { ...finished(event), outcome: 'suppressed' }
    case 'ChatAccepted':
    case 'ChatAssigned':
    case 'ChatUpdated':
    case 'ChatFinished':
    case 'CallStatusChanged':
    case 'ClientUpdated':
    case 'OfflineMessageReceived':
      return undefined
  }
}
