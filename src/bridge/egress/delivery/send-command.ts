import type { Attempt, Because } from '../../../../contracts/events/index.ts'
import { traceIdOf } from '../../adapters/tracing.ts'
import { factOf } from '../../domain/conversation-facts.ts'
import { dated } from '../../domain/dated.ts'
import { keyedQueue } from '../../shared/keyed-queue.ts'
import type { ConversationNow } from '../conversation/conversation-now.ts'
import type { Tail } from '../conversation/tail.ts'
import type { EgressPorts } from '../ports.ts'
import type { AccountGate } from './account-gate.ts'
import type { TryOnce } from './attempt.ts'
import type { Addressed, BotOwner } from './check-command.ts'
import { deliver, type Reply } from './deliver.ts'
import { type Announce, type Handled, type Outcome, outcomeEvents, type PublishedEvent } from './outcome.ts'

/** A command to send. `because` is set if the bridge itself created it. */
export type Order = Pick<
  Reply,
  'command' | 'account' | 'requestedAt' | 'traceparent' | 'takenAt' | 'work' | 'isLastResort' | 'decide'
> & {
  readonly because?: Because
}
/** Sends a command and publishes its outcome, unless a command with its id was finished before. */
export type SendCommand = (order: Order) => Promise<Handled>

type Parts = {
  readonly ports: Pick<EgressPorts, 'monotonic' | 'random' | 'sleep' | 'now' | 'measure' | 'log'>
  readonly tail: Tail
  readonly announce: Announce
  readonly barrier: (partition: number) => Promise<void>
  readonly nowOf: (partition: number, command: Addressed) => () => Promise<ConversationNow>
  readonly gateOf: (account: BotOwner) => AccountGate
  readonly tryOnce: TryOnce
}

/** Since when the client has waited for the delivered reply: the time of the unanswered message that it is for. */
const waitedSince = (
  { command, because }: Order,
  outcome: Outcome,
  known: ConversationNow | undefined,
): Date | undefined => {
  if (command.type !== 'BotMessage' || outcome.kind !== 'delivered' || because !== undefined) return undefined
  if (command.expectsMore) return undefined
  const { inReplyTo } = command
  return known?.conversation.unanswered.find(({ id }) => inReplyTo === undefined || id === inReplyTo)?.at
}

/** Measures and logs how a command ended. */
const report = (
  { measure, log, now }: Pick<EgressPorts, 'measure' | 'log' | 'now'>,
  order: Order,
  outcome: Outcome,
  attempts: number,
  known: ConversationNow | undefined,
): void => {
  const { command, account, because, traceparent } = order
  measure.delivery(account.id, outcome.kind, because)
  const since = waitedSince(order, outcome, known)
  if (since !== undefined) measure.answered(account.id, Math.max(0, Date.parse(now()) - since.getTime()) / 1000)
  const fields = {
    accountId: account.id,
    commandId: command.id,
    because,
    attempts,
    kind: outcome.kind,
    reason: outcome.kind === 'delivered' ? undefined : outcome.reason,
    ...(traceparent !== undefined && { traceId: traceIdOf(traceparent) }),
  }
  const level = outcome.kind === 'delivered' && because === undefined ? 'debug' : 'info'
  log[level](fields, 'egress: a command has its final outcome')
}

export const commandSender = ({ ports, tail, announce, barrier, nowOf, gateOf, tryOnce }: Parts): SendCommand => {
  const { run: inTurn } = keyedQueue()

  const concluded = (
    order: Order,
    outcome: Outcome,
    attempts: ReadonlyArray<Attempt>,
    known: ConversationNow | undefined,
  ): ReadonlyArray<PublishedEvent> => {
    const { command, requestedAt, because, traceparent } = order
    // A command of the bridge's own that was never sent needs no event: nobody requested it.
    if (because !== undefined && outcome.kind === 'suppressed' && attempts.length === 0) return []
    const events = outcomeEvents({
      command,
      outcome,
      attempts,
      requestedAt,
      time: ports.now(),
      because,
      traceparent,
    })
    for (const fact of events.map((event) => factOf(dated(event))))
      if (fact !== undefined) tail.remember(order.work.partition, `${command.accountId}/${command.chatId}`, fact)
    report(ports, order, outcome, attempts.length, known)
    return events
  }

  return async (order) => {
    const { command, account, work } = order
    const { partition } = work
    const now = nowOf(partition, command)
    // Reads the views during this wait. Facts that the tail learns in the meantime are added at the next call.
    await Promise.all([barrier(partition), now()])
    let known: ConversationNow | undefined
    const delivery = await deliver(ports, {
      ...order,
      decide: (conversationNow) => {
        known = conversationNow
        return order.decide(conversationNow)
      },
      tryOnce,
      inTurn,
      now,
      gate: gateOf(account),
      // A former owner leaves the outcome to the new owner, except a delivery: the service has the reply.
      conclude: (outcome, attempts) =>
        outcome.kind !== 'delivered' && !work.isOwned()
          ? { kind: 'left to the next owner' }
          : { kind: 'concluded', events: concluded(order, outcome, attempts, known) },
    })
    return delivery.kind === 'concluded' ? announce(delivery.events) : delivery.kind
  }
}
