import { createHash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { BotReply } from '../../../../contracts/commands/bot-reply.ts'
import type {
  AgentInvited,
  Attempt,
  Because,
  BotReplyDelivered,
  BotReplyFailed,
  BotReplySuppressed,
} from '../../../../contracts/events/index.ts'
import { Id, type Instant } from '../../../../contracts/primitives.ts'
import { sourceAt } from '../../../../contracts/source.ts'
import { markdown } from '../../adapters/markdown.ts'
import type { Health } from '../../domain/checks.ts'
import type { SuppressedReason } from '../../domain/conversation.ts'
import { type CommandName, contentDigest, deliveryId } from '../../domain/delivery.ts'
import type { IncomingRecord } from '../../domain/log/record.ts'
import { writtenMessage } from '../../domain/message-text.ts'
import type { EgressPorts } from '../ports.ts'
import { retryUntilAborted } from '../retry-until-aborted.ts'
import type { Addressed } from './check-command.ts'
import { type GivenUpReason, type Refusal, refusedReason } from './refusal.ts'

/** How a command ended. */
export type Outcome =
  | { readonly kind: 'delivered' }
  | {
      readonly kind: 'failed'
      readonly reason: GivenUpReason
      readonly detail?: string | undefined
    }
  | { readonly kind: 'suppressed'; readonly reason: SuppressedReason }
export type OutcomeEvent = BotReplyDelivered | BotReplyFailed | BotReplySuppressed
/** The events that egress publishes. */
export type PublishedEvent = OutcomeEvent | AgentInvited

type Identified = Pick<BotReply, 'accountId' | 'chatId'> & CommandName

/** A stable id for a command's outcome. Chat and command are hashed if the plain text would be no Id. */
const outcomeId = (command: Identified, outcome: string): Id => {
  const name = deliveryId(command)
  const plain = `${name}:${outcome}`
  if (Id.is(plain)) return plain
  const inAccount = name.slice(command.accountId.length + 1)
  return `${command.accountId}/${createHash('sha256').update(inAccount).digest('hex')}:${outcome}` as Id
}

const finalOutcomes = ['delivered', 'failed', 'suppressed'] as const satisfies ReadonlyArray<Outcome['kind']>

/** The entries of a conversation's `seen` that show that a command was finished (contracts/views/applied.ts). */
export const outcomesInSeen = (command: Identified): ReadonlyArray<string> =>
  finalOutcomes.map((outcome) => `egress/${outcomeId(command, outcome)}`)

const envelope = (command: Addressed, outcome: string, time: Instant) => ({
  id: outcomeId({ ...command, commandId: command.id, commandType: String(command.type) }, outcome),
  source: sourceAt(command.accountId, 'egress'),
  subject: command.chatId,
  time,
})

/** How a command ended, for its event. `requestedAt` is its record's time, or when the bridge itself created it. */
export type Ended = {
  readonly command: BotReply
  readonly outcome: Outcome
  readonly attempts: ReadonlyArray<Attempt>
  readonly requestedAt: Instant
  readonly time: Instant
  readonly because?: Because | undefined
  readonly traceparent?: string | undefined
}

/** A command's fields in its outcome event. */
const asked = (command: BotReply, requestedAt: Instant) => {
  const { accountId, chatId, clientId, id, type, inReplyTo, group } = command
  return {
    accountId,
    chatId,
    clientId,
    commandId: id,
    commandType: type,
    requestedAt,
    ...(inReplyTo && { inReplyTo }),
    ...(group && { group }),
    ...(command.type === 'BotMessage' && writtenMessage(markdown, command.message, requestedAt)),
    ...(command.type === 'BotMessage' && command.expectsMore && { expectsMore: true }),
    ...(command.type === 'InviteAgent' && command.reason && { handOverReason: command.reason }),
  }
}

/** The digest that a command's outcome will have. */
export const digestOf = (command: BotReply, requestedAt: Instant): string | undefined =>
  contentDigest(asked(command, requestedAt))

/** The event of a command's outcome, with all its attempts. */
export const outcomeEvent = ({
  command,
  outcome,
  attempts,
  requestedAt,
  time,
  because,
  traceparent,
}: Ended): OutcomeEvent => {
  const data = { ...asked(command, requestedAt), attempts: [...attempts], ...(because && { because }) }
  const fields = { ...envelope(command, outcome.kind, time), ...(traceparent && { traceparent }) }
  switch (outcome.kind) {
    case 'delivered':
      return { type: 'BotReplyDelivered', ...fields, data }
    case 'failed': {
      const { reason, detail } = outcome
      return { type: 'BotReplyFailed', ...fields, data: { ...data, reason, ...(detail && { detail }) } }
    }
    case 'suppressed':
      return { type: 'BotReplySuppressed', ...fields, data: { ...data, reason: outcome.reason } }
  }
}

/** All events for a command's end. The bridge's own invitation adds AgentInvited, with the time of its last attempt. */
export const outcomeEvents = (ended: Ended): ReadonlyArray<PublishedEvent> => {
  const { command, outcome, attempts, time, because } = ended
  const event = outcomeEvent(ended)
  if (command.type !== 'InviteAgent' || outcome.kind !== 'delivered') return [event]
  if (because === undefined || because === 'agent-unavailable') return [event]
  const { accountId, chatId, clientId } = command
  return [
    event,
    {
      type: 'AgentInvited',
      ...envelope(command, 'invited', attempts.at(-1)?.at ?? time),
      data: { accountId, chatId, clientId, invitedBy: 'bridge', reason: because },
    },
  ]
}

/** Reports to a command's author that its record was refused unsent. The command may arrive again. */
export const refusedEvent = (
  command: Addressed,
  { partition, offset }: Pick<IncomingRecord, 'partition' | 'offset'>,
  refusal: Refusal,
  requestedAt: Instant,
  time: Instant,
): BotReplyFailed => ({
  type: 'BotReplyFailed',
  ...envelope(command, `refused-${partition}-${offset}`, time),
  data: {
    accountId: command.accountId,
    chatId: command.chatId,
    clientId: command.clientId,
    commandId: command.id,
    commandType: Id.is(command.type) ? command.type : 'unknown',
    attempts: [],
    requestedAt,
    reason: refusedReason(refusal),
    detail: refusal.detail,
    ...(Id.is(command.inReplyTo) && { inReplyTo: command.inReplyTo }),
    ...(Id.is(command.group) && { group: command.group }),
  },
})

/** Kafka's producer retries until an event is durable. A second call would only append it twice. */
const withinMs = Number.POSITIVE_INFINITY
const stuckAfterMs = 30_000

/**
 * How the handling of a command ended. The offset of its record may be committed, unless the command is left to the next
 * owner of the partition.
 */
export type Handled = 'finished' | 'finished before' | 'names another client' | 'left to the next owner'

/**
 * Publishes events at the same time, so that the log has them together. `finished` when they are durable, `left to the
 * next owner` only if the worker stops before that.
 */
export type Announce = (events: ReadonlyArray<PublishedEvent>) => Promise<Handled>

/** An event that is too large for Kafka is published without its message: the outcome matters more than the text. */
const withoutMessage = (event: PublishedEvent): PublishedEvent => {
  if (!('message' in event.data)) return event
  const { message: _, ...data } = event.data
  return { ...event, data } as PublishedEvent
}

export const announcer = (
  ports: Pick<EgressPorts, 'publish' | 'sleep' | 'random' | 'log' | 'monotonic'>,
  stopping: AbortSignal,
): { readonly announce: Announce; readonly health: () => Health } => {
  const waiting = new Map<string, number>()
  const isPublished = async (event: PublishedEvent): Promise<boolean> => {
    let content = event
    waiting.set(event.id, ports.monotonic())
    const publish = async () => {
      const result = await ports.publish(content, withinMs)
      if (E.isRight(result)) return
      if (result.left.kind !== 'transient') content = withoutMessage(content)
      throw new Error(result.left.reason)
    }
    const published = await retryUntilAborted(ports, 'publishing an outcome', publish, stopping)
    waiting.delete(event.id)
    return published !== undefined
  }
  return {
    announce: async (events) => {
      const published = await Promise.all(events.map(isPublished))
      return published.every((isDurable) => isDurable) ? 'finished' : 'left to the next owner'
    },
    health: () => {
      const oldest = Math.min(...waiting.values())
      return ports.monotonic() - oldest > stuckAfterMs
        ? { ok: false, reason: `${waiting.size} outcomes of replies cannot be published` }
        : { ok: true, reason: 'outcomes of replies are published' }
    },
  }
}
