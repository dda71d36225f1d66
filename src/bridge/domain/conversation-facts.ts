import type {
  Because,
  BotReplyDelivered,
  BotReplyFailed,
  BotReplySuppressed,
  ChatErased,
  ConversationEvent,
  DomainEvent,
} from '../../../contracts/events/index.ts'
import type { Id } from '../../../contracts/primitives.ts'
import type { Dated } from '../../../contracts/views/dated.ts'
import { type CommandName, contentDigest } from './delivery.ts'
import { identity } from './identity.ts'

type Outcome = Pick<Dated<BotReplyDelivered>['data'], 'commandId' | 'requestedAt'> &
  Partial<Pick<Dated<BotReplyDelivered>['data'], 'clientId' | 'inReplyTo' | 'because' | 'expectsMore' | 'message'>> & {
    readonly commandType: string
    readonly attempts: ReadonlyArray<{ readonly at: Date }>
  }

type OutcomeType = (BotReplyDelivered | BotReplyFailed | BotReplySuppressed)['type']

type SourceOf<Type extends DomainEvent['type'], Data> = Pick<Dated<DomainEvent>, 'id' | 'time' | 'receivedTime'> & {
  readonly source: string
  readonly type: Type
  readonly data: Data
}

/** What a fact needs of an event: an entry of the timeline has it too. */
export type FactSource =
  | SourceOf<Exclude<ConversationEvent['type'], OutcomeType>, OfClient['data']>
  | SourceOf<Exclude<OutcomeType, 'BotReplyFailed'>, Outcome>
  | SourceOf<'BotReplyFailed', Outcome & { readonly reason?: BotReplyFailed['data']['reason'] }>
  | SourceOf<Exclude<DomainEvent['type'], ConversationEvent['type']>, unknown>
type FactSourceOf<Type extends DomainEvent['type']> = Extract<FactSource, { readonly type: Type }>

/** How a command ended. `because` is set if the bridge itself created the command. */
export type Finished = CommandName & {
  readonly kind: 'finished'
  /** The ce_id of the outcome. */
  readonly eventId: Id
  readonly outcome: 'delivered' | 'failed' | 'suppressed'
  readonly inReplyTo?: Id
  readonly because?: Because
  /** The message only announced the answer. */
  readonly expectsMore?: true
  /** A digest of the command's content (domain/delivery.ts), if it is known. */
  readonly digest?: string
  /** When the command's record was appended. */
  readonly requestedAt: Date
}

/**
 * What an event of bot-conversations says about who has the conversation and who waits. `id` is the event's entry in
 * `seen` of the views, `eventId` its ce_id. `refused` is a command that will never be sent unchanged. `isHandOver`: it
 * asked for an agent. `at` is when the bridge received the event. For a delivered command it is the start of the last
 * attempt. `clientId` is the client as the service names it (`clientOf`).
 */
export type Fact = { readonly id: string; readonly at: Date; readonly clientId?: Id } & (
  | { readonly kind: 'invited' | 'joined' | 'closed' | 'erased' }
  | { readonly kind: 'client-message' | 'unavailable'; readonly eventId: Id }
  | { readonly kind: 'refused'; readonly eventId: Id; readonly isHandOver: boolean; readonly inReplyTo?: Id }
  | Finished
)

/**
 * A command that was refused unsent may arrive again under its id: corrected by its author, or redriven by an operator.
 * A refusal as `duplicate` says nothing about the command that had the id first.
 */
const isRefusal: Readonly<Partial<Record<string, boolean>>> = {
  rejected: false,
  attempts: false,
  deadline: false,
  invalid: true,
  'unknown-account': true,
  duplicate: true,
  gone: true,
  unforeseen: true,
} satisfies Record<BotReplyFailed['data']['reason'], boolean>
const wasRefused = (reason: string | undefined) => reason !== undefined && isRefusal[reason] === true

/** True if a delivery with this state and reason must never be sent again. */
export const isFinal = (state: string, reason: string | undefined): boolean =>
  state !== 'pending' && !(state === 'failed' && wasRefused(reason))

type OfClient = { readonly source: string; readonly data: { readonly clientId?: Id } }

/**
 * The client as the service names it, in its own events. A command may name anybody, so neither its outcome nor an
 * AgentInvited of the bridge, which repeats a command's client, says whose chat it is.
 */
export const clientOf = ({ source, data }: OfClient): { readonly clientId?: Id } =>
  source.endsWith('/bot') && data.clientId !== undefined ? { clientId: data.clientId } : {}

/** Also under the name that the request of the protocol has, since this may be why the command was refused. */
export const asksForAgent = (commandType: unknown): boolean =>
  commandType === 'InviteAgent' || commandType === 'INVITE_AGENT'

/** Another command has the id. Only a hand-over that is not sent changes a conversation. */
export const isIdleDuplicate = ({
  reason,
  commandType,
}: Pick<BotReplyFailed['data'], 'commandType'> & Partial<Pick<BotReplyFailed['data'], 'reason'>>): boolean =>
  reason === 'duplicate' && !asksForAgent(commandType)

/**
 * A refused message leaves its turn without a reply. If its id was used before, the turn waits for another reply as
 * long as any other. A refused hand-over leaves a client without the agent whom the bot may have announced.
 */
const refused = (event: FactSourceOf<'BotReplyFailed'>): Fact | undefined => {
  const { reason, inReplyTo, commandType } = event.data
  if (reason === 'unknown-account' || isIdleDuplicate(event.data)) return undefined
  return {
    id: identity(event),
    at: event.time,
    kind: 'refused',
    eventId: event.id,
    isHandOver: asksForAgent(commandType),
    ...(inReplyTo !== undefined && { inReplyTo }),
  }
}

/** When the service accepted a command: at its last attempt. */
export const deliveredAt = ({
  time,
  data,
}: {
  readonly time: Date
  readonly data: { readonly attempts: ReadonlyArray<{ readonly at: Date }> }
}): Date => data.attempts.at(-1)?.at ?? time

const finished = (event: FactSourceOf<OutcomeType>, outcome: Finished['outcome']): Fact => {
  const { commandId, commandType, inReplyTo, because, expectsMore, requestedAt } = event.data
  const digest = contentDigest(event.data)
  return {
    id: identity(event),
    at: outcome === 'delivered' ? deliveredAt(event) : event.time,
    kind: 'finished',
    eventId: event.id,
    commandId,
    commandType,
    outcome,
    requestedAt,
    ...(inReplyTo !== undefined && { inReplyTo }),
    ...(because !== undefined && { because }),
    ...(expectsMore && { expectsMore }),
    ...(digest !== undefined && { digest }),
  }
}

/** The fact of an event. A late event has none: its request got an error, so the service has invited an agent. */
export const factOf = (event: FactSource): Fact | undefined => {
  if (event.receivedTime !== undefined) return undefined
  const seen = (ofConversation: OfClient & Pick<FactSource, 'id' | 'time'>) => ({
    id: identity(ofConversation),
    at: ofConversation.time,
    ...clientOf(ofConversation),
  })
  switch (event.type) {
    case 'ClientMessageReceived':
      return { ...seen(event), kind: 'client-message', eventId: event.id }
    case 'AgentInvited':
      return { ...seen(event), kind: 'invited' }
    case 'AgentJoined':
      return { ...seen(event), kind: 'joined' }
    case 'AgentUnavailable':
      return { ...seen(event), kind: 'unavailable', eventId: event.id }
    case 'ChatClosed':
      return { ...seen(event), kind: 'closed' }
    case 'BotReplyDelivered':
      return finished(event, 'delivered')
    case 'BotReplyFailed':
      return wasRefused(event.data.reason) ? refused(event) : finished(event, 'failed')
    case 'BotReplySuppressed':
      return finished(event, 'suppressed')
    case 'ChatErased':
      return { id: identity(event), at: event.time, kind: 'erased' }
    // The events of other topics. A new event of bot-conversations needs a case of its own.
    default:
      event.type satisfies Exclude<DomainEvent, ConversationEvent | ChatErased>['type']
      return undefined
  }
}
