import type { Attempt, Because } from '../../../contracts/events/index.ts'
import { traceIdOf } from '../../adapters/tracing.ts'
import type { SuppressedReason } from '../../domain/conversation.ts'
import { factOf } from '../../domain/conversation-facts.ts'
import { dated } from '../../domain/dated.ts'
import { type KeyedQueue, keyedQueue } from '../../shared/keyed-queue.ts'
import type { ConversationNow } from '../conversation/conversation-now.ts'
import type { Tail } from '../conversation/tail.ts'
import type { EgressPorts } from '../ports.ts'
import type { AccountGate } from './account-gate.ts'
import type { Tried, TryOnce } from './attempt.ts'
import type { Addressed, BotOwner, Checked } from './check-command.ts'
import type { Entrant } from './gate.ts'
import type { Announcer } from './outcome.ts'
import { type Outcome, outcomeEvents, type PublishedEvent } from './outcome.ts'
import type { PartitionWork } from './partition-work.ts'
import { lastResortEveryMs } from './pause.ts'
import { botRequest } from './post.ts'
import { nextStep, type Step } from './retry-policy.ts'

/** How a delivery ends: with events, finished before, left to another worker, or refused for the client that it names. */
export type Delivery =
  | { readonly kind: 'concluded'; readonly events: ReadonlyArray<PublishedEvent> }
  | { readonly kind: 'finished before' | 'dropped' | 'names another client' }

/** Remembers a command's end at once and returns its events. Undefined if another worker must publish them. */
export type Conclude = (outcome: Outcome, attempts: ReadonlyArray<Attempt>) => ReadonlyArray<PublishedEvent> | undefined

/** All that delivering one command needs. Its deadline starts at `takenAt`, on the monotonic clock. */
export type Reply = Checked & {
  readonly requestedAt: Attempt['at']
  /** The parent span (W3C Trace Context). */
  readonly traceparent?: string | undefined
  readonly takenAt: number
  readonly work: Pick<PartitionWork, 'isOwned' | 'signal'>
  /** The bridge's own invitation for a client without a reply. A pause of the service delays it only briefly. */
  readonly isLastResort: boolean
  /** Whether the command may be sent, as far as its conversation is known. */
  readonly decide: (now: ConversationNow) => 'send' | SuppressedReason | 'names another client'
  readonly now: () => Promise<ConversationNow>
  readonly gate: AccountGate
  readonly inTurn: KeyedQueue['run']
  readonly tryOnce: TryOnce
  readonly conclude: Conclude
}

type Ports = Pick<EgressPorts, 'monotonic' | 'random' | 'sleep'>
type Again = Extract<Step, { readonly kind: 'attempt' }>

/**
 * Tries a reply until the service has it, the service refuses it, or a limit is reached. Before each attempt it decides
 * again whether the reply may be sent. Attempts of one chat exclude each other, including their conclusion. So the
 * bridge's own messages to the chat see the outcome of a finished attempt. One race stays open: an event that the
 * service sends during the request comes too late.
 */
export const deliver = async ({ monotonic, random, sleep }: Ports, reply: Reply): Promise<Delivery> => {
  const { command, account, requestedAt, takenAt, work, isLastResort, gate } = reply
  const { deadlineMs } = account.bot
  const chat = `${command.accountId}/${command.chatId}`
  const body = botRequest(command, requestedAt)
  const tried: Tried[] = []

  const elapsed = () => monotonic() - takenAt
  const end = (outcome: Outcome): Delivery => {
    const events = reply.conclude(
      outcome,
      tried.map(({ attempt }) => attempt),
    )
    return events === undefined ? { kind: 'dropped' } : { kind: 'concluded', events }
  }
  /** Ends the delivery if there must be no further attempt. */
  const objection = async (): Promise<Delivery | undefined> => {
    const now = await reply.now()
    if (work.signal.aborted || !work.isOwned()) return { kind: 'dropped' }
    if (now.isFinished) return { kind: 'finished before' }
    const decision = reply.decide(now)
    if (decision === 'names another client') return { kind: decision }
    if (decision !== 'send') return end({ kind: 'suppressed', reason: decision })
    return elapsed() >= deadlineMs ? end({ kind: 'failed', reason: 'deadline' }) : undefined
  }
  const limits = { ...account.bot, ...(isLastResort && { lastResortEveryMs }) }
  /** Undefined if the gate has closed before the attempt. */
  const tryNow = async (entrant: Entrant): Promise<Delivery | Again | undefined> => {
    const objected = await objection()
    if (objected !== undefined) return objected
    const leave = gate.enter(entrant)
    if (leave === undefined) return undefined
    const result = await reply.tryOnce(account, body, reply.traceparent)
    leave(result.verdict)
    tried.push(result)
    const verdicts = tried.map(({ verdict }) => verdict)
    const step = nextStep(verdicts, limits, elapsed(), random)
    if (step.kind === 'attempt') return step
    return end(step.kind === 'failed' && step.reason === 'rejected' ? { ...step, detail: result.words } : step)
  }
  const attempt = async (entrant: Entrant): Promise<Delivery | Again> => {
    for (;;) {
      // This waits outside of the chat's turn: a reply that waits must not delay the invitation of an agent.
      await gate.open(entrant, deadlineMs - elapsed(), work.signal)
      const next = await reply.inTurn(chat, () => tryNow(entrant))
      if (next !== undefined) return next
    }
  }
  for (;;) {
    const withinMs = deadlineMs - elapsed()
    const grant = tried.length === 0 ? undefined : await gate.grantRetry(isLastResort, withinMs, work.signal)
    const entrant = { chat, isLastResort, grant }
    const next = (await objection()) ?? (await gate.inSlot(entrant, () => attempt(entrant)))
    if (next.kind !== 'attempt') return next
    await sleep(next.afterMs, work.signal)
  }
}

/** A command to send. `because` is set if the bridge itself created it. */
export type Order = Pick<
  Reply,
  'command' | 'account' | 'requestedAt' | 'traceparent' | 'takenAt' | 'work' | 'isLastResort' | 'decide'
> & {
  readonly partition: number
  readonly because?: Because
}
/** Sends a command and publishes its outcome, unless a command with its id was finished before. */
export type SendCommand = (
  order: Order,
) => Promise<'done' | 'finished before' | 'names another client' | 'left to the next owner'>

type Parts = {
  readonly ports: Pick<EgressPorts, 'monotonic' | 'random' | 'sleep' | 'now' | 'measure' | 'log'>
  readonly tail: Tail
  readonly announce: Announcer['announce']
  readonly barrier: (partition: number) => Promise<void>
  readonly nowOf: (partition: number, command: Addressed) => () => Promise<ConversationNow>
  readonly gateOf: (account: BotOwner) => AccountGate
  readonly tryOnce: TryOnce
}

export const commandSender = ({ ports, tail, announce, barrier, nowOf, gateOf, tryOnce }: Parts): SendCommand => {
  const { run: inTurn } = keyedQueue()

  /** Since when the client has waited for the delivered reply: the time of the unanswered message that it is for. */
  const waitedSince = ({ command, because }: Order, outcome: Outcome, known: ConversationNow | undefined) => {
    if (command.type !== 'BotMessage' || outcome.kind !== 'delivered' || because !== undefined) return undefined
    if (command.expectsMore) return undefined
    const { inReplyTo } = command
    return known?.conversation.unanswered.find(({ id }) => inReplyTo === undefined || id === inReplyTo)?.at
  }
  const concluded = (
    order: Order,
    outcome: Outcome,
    attempts: ReadonlyArray<Attempt>,
    known: ConversationNow | undefined,
  ): ReadonlyArray<PublishedEvent> => {
    const { command, account, partition, requestedAt, because, traceparent } = order
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
      if (fact !== undefined) tail.remember(partition, `${command.accountId}/${command.chatId}`, fact)
    ports.measure.delivery(account.id, outcome.kind, because)
    const since = waitedSince(order, outcome, known)
    if (since !== undefined)
      ports.measure.answered(account.id, Math.max(0, Date.parse(ports.now()) - since.getTime()) / 1000)
    const { kind, reason } = outcome.kind === 'delivered' ? { ...outcome, reason: undefined } : outcome
    const fields = {
      accountId: account.id,
      commandId: command.id,
      because,
      attempts: attempts.length,
      kind,
      reason,
      ...(traceparent !== undefined && { traceId: traceIdOf(traceparent) }),
    }
    const level = outcome.kind === 'delivered' && because === undefined ? 'debug' : 'info'
    ports.log[level](fields, 'egress: a command has its final outcome')
    return events
  }

  return async (order) => {
    const { command, account, partition, work } = order
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
        outcome.kind !== 'delivered' && !work.isOwned() ? undefined : concluded(order, outcome, attempts, known),
    })
    if (delivery.kind === 'dropped') return 'left to the next owner'
    if (delivery.kind !== 'concluded') return delivery.kind
    // All events are published at the same time, so that the log has them together.
    const published = await Promise.all(delivery.events.map(announce))
    return published.every((isDurable) => isDurable) ? 'done' : 'left to the next owner'
  }
}
