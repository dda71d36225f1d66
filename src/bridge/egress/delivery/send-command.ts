import type { BotReply } from '../../../../contracts/commands/bot-reply.ts'
import type { Because } from '../../../../contracts/events/index.ts'
import type { Instant } from '../../../../contracts/primitives.ts'
import { traceIdOf } from '../../adapters/tracing.ts'
import type { SuppressedReason } from '../../domain/conversation.ts'
import { factOf } from '../../domain/conversation-facts.ts'
import { dated } from '../../domain/dated.ts'
import { keyedQueue } from '../../shared/keyed-queue.ts'
import type { KnownConversation, ReadConversation } from '../conversation/known-conversation.ts'
import type { CatchUp, Tail } from '../conversation/tail.ts'
import type { EgressPorts } from '../ports.ts'
import type { AccountGate, AttemptPermit } from './account-gate.ts'
import { type Tried, type TryOnce, wasAboutClient } from './attempt.ts'
import type { BotOwner } from './check-command.ts'
import { type Announce, type Handled, type Outcome, outcomeEvents, type PublishedEvent } from './outcome.ts'
import { lastResortEveryMs } from './pause.ts'
import { botRequest } from './post.ts'
import type { GivenUpReason } from './refusal.ts'
import { givenUp, nextStep, type Step, type TriedBefore } from './retry-policy.ts'

/** A partition that this worker reads. Its signal aborts when the partition is lost or the worker stops. */
export type Ownership = {
  readonly partition: number
  readonly signal: AbortSignal
  readonly isOwned: () => boolean
}

/** A command to send. Its deadline starts at `takenAt`, on the monotonic clock. */
export type Order = {
  readonly command: BotReply
  readonly account: BotOwner
  readonly work: Ownership
  readonly requestedAt: Instant
  readonly takenAt: number
  /** The parent span (W3C Trace Context). */
  readonly traceparent?: string | undefined
  /** Set if the bridge itself created the command. */
  readonly because?: Because
  /** The bridge's own message for a client without a reply. A pause of the service delays it only briefly. */
  readonly isLastResort: boolean
  /** Whether the command may be sent, as far as its conversation is known. */
  readonly decide: (known: KnownConversation) => 'send' | SuppressedReason | 'names another client'
}
/** Sends a command and publishes its outcome, unless a command with its id was finished before. */
export type SendCommand = (order: Order) => Promise<Handled>

/** How a delivery ends. With events, it is finished once they are published. */
type Delivery =
  | { readonly kind: 'concluded'; readonly events: ReadonlyArray<PublishedEvent> }
  | { readonly kind: Exclude<Handled, 'finished'> }
type Again = Extract<Step, { readonly kind: 'attempt' }>

const chatOf = ({ accountId, chatId }: BotReply) => `${accountId}/${chatId}`

/** Since when the client has waited for the delivered reply: the time of the unanswered message that it is for. */
const waitedSince = (
  { command, because }: Order,
  outcome: Outcome,
  known: KnownConversation | undefined,
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
  known: KnownConversation | undefined,
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

export const commandSender = ({
  ports,
  tail,
  announce,
  catchUp,
  readConversation,
  gateOf,
  tryOnce,
}: {
  readonly ports: Pick<EgressPorts, 'monotonic' | 'random' | 'sleep' | 'now' | 'measure' | 'log'>
  readonly tail: Pick<Tail, 'remember'>
  readonly announce: Announce
  readonly catchUp: CatchUp
  readonly readConversation: ReadConversation
  readonly gateOf: (account: BotOwner) => AccountGate
  readonly tryOnce: TryOnce
}): SendCommand => {
  const { monotonic, random, sleep } = ports
  /** Attempts of one chat exclude each other. */
  const { run: exclusively } = keyedQueue()

  /** Remembers a command's outcome at once and returns its events. */
  const conclude = (
    order: Order,
    outcome: Outcome,
    tried: ReadonlyArray<Tried>,
    known: KnownConversation | undefined,
  ): Delivery => {
    const { command, work, requestedAt, because, traceparent } = order
    // A former owner leaves the outcome to the new owner, except a delivery: the service has the reply.
    if (outcome.kind !== 'delivered' && !work.isOwned()) return { kind: 'left to the next owner' }
    // A command of the bridge's own that was never sent needs no event: nobody requested it.
    if (because !== undefined && outcome.kind === 'suppressed' && tried.length === 0)
      return { kind: 'concluded', events: [] }
    const events = outcomeEvents({
      command,
      outcome,
      attempts: tried.map(({ attempt }) => attempt),
      requestedAt,
      time: ports.now(),
      because,
      traceparent,
    })
    for (const fact of events.map((event) => factOf(dated(event))))
      if (fact !== undefined) tail.remember(work.partition, chatOf(command), fact)
    report(ports, order, outcome, tried.length, known)
    return { kind: 'concluded', events }
  }

  /**
   * Tries a reply until the service has it, the service refuses it, or a limit is reached. Before each attempt it
   * decides again whether the reply may be sent. Attempts of one chat exclude each other, including their conclusion. So
   * the bridge's own messages to the chat see the outcome of a finished attempt. One race stays open: an event that the
   * service sends during the request comes too late.
   */
  const deliver = async (order: Order, read: () => Promise<KnownConversation>): Promise<Delivery> => {
    const { command, account, requestedAt, takenAt, work, isLastResort } = order
    const { deadlineMs } = account.bot
    const chat = chatOf(command)
    const gate = gateOf(account)
    const body = botRequest(command, requestedAt)
    const limits = { ...account.bot, ...(isLastResort && { lastResortEveryMs }) }
    const tried: Array<Tried & { readonly number: number }> = []
    let known: KnownConversation | undefined

    const elapsed = () => monotonic() - takenAt
    const end = (outcome: Outcome) => conclude(order, outcome, tried, known)
    const history = (): ReadonlyArray<TriedBefore> =>
      tried.map((each) => ({
        ...each.verdict,
        ...(wasAboutClient(each, gate.isOthersTaken) && { isOfClient: true as const }),
      }))
    /** Gives the reply up, with what the service said if it refuses the reply. */
    const giveUp = (reason: GivenUpReason): Delivery =>
      end({ kind: 'failed', reason, ...(reason === 'rejected' && { detail: tried.at(-1)?.words }) })
    /** Ends the delivery if there must be no further attempt. */
    const objection = async (): Promise<Delivery | undefined> => {
      const now = await read()
      if (work.signal.aborted || !work.isOwned()) return { kind: 'left to the next owner' }
      if (now.isFinished) return { kind: 'finished before' }
      known = now
      const decision = order.decide(now)
      if (decision === 'names another client') return { kind: decision }
      if (decision !== 'send') return end({ kind: 'suppressed', reason: decision })
      if (elapsed() >= deadlineMs) return giveUp('deadline')
      // The service may have taken other chats since the newest attempt.
      const reason = givenUp(history(), limits)
      return reason === undefined ? undefined : giveUp(reason)
    }
    const tryNow = async (permit: AttemptPermit): Promise<Delivery | Again> => {
      const objected = await objection()
      if (objected !== undefined) return objected
      const result = await tryOnce(account, body, order.traceparent)
      tried.push({ ...result, number: permit.number })
      permit.end(result)
      const step = nextStep(history(), limits, elapsed(), random)
      if (step.kind === 'attempt') return step
      return step.kind === 'failed' ? giveUp(step.reason) : end(step)
    }
    let since = monotonic()
    for (;;) {
      const objected = await objection()
      if (objected !== undefined) return objected
      // Nothing of the chat is blocked meanwhile: a reply that waits must not delay the invitation of an agent.
      const entrant = { chat, since, isRepeated: tried.length > 0, isLastResort }
      const permit = await gate.enter(entrant, deadlineMs - elapsed(), work.signal)
      if (permit === undefined) continue
      const next = await exclusively(chat, () => tryNow(permit)).finally(() => permit.end())
      if (next.kind !== 'attempt') return next
      since = monotonic()
      await sleep(next.afterMs, work.signal)
    }
  }

  return async (order) => {
    const { command, work } = order
    const read = readConversation(work.partition, command)
    // Reads the views during this wait. Facts that the tail learns in the meantime are added at the next call.
    await Promise.all([catchUp(work.partition), read()])
    const delivery = await deliver(order, read)
    return delivery.kind === 'concluded' ? announce(delivery.events) : delivery.kind
  }
}
