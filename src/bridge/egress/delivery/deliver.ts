import type { Attempt } from '../../../../contracts/events/index.ts'
import type { SuppressedReason } from '../../domain/conversation.ts'
import type { KeyedQueue } from '../../shared/keyed-queue.ts'
import type { ConversationNow } from '../conversation/conversation-now.ts'
import type { EgressPorts } from '../ports.ts'
import type { AccountGate, Turn } from './account-gate.ts'
import { type Tried, type TryOnce, wasAboutClient } from './attempt.ts'
import type { Checked } from './check-command.ts'
import type { Handled, Outcome, PublishedEvent } from './outcome.ts'
import { lastResortEveryMs } from './pause.ts'
import { botRequest } from './post.ts'
import type { GivenUpReason } from './refusal.ts'
import { givenUp, nextStep, type Step, type TriedBefore } from './retry-policy.ts'

/** How a delivery ends. With events, it is finished once they are published. */
export type Delivery =
  | { readonly kind: 'concluded'; readonly events: ReadonlyArray<PublishedEvent> }
  | { readonly kind: Exclude<Handled, 'finished'> }

/** Remembers a command's outcome at once. */
export type Conclude = (outcome: Outcome, attempts: ReadonlyArray<Attempt>) => Delivery

/** A partition that this worker reads. Its signal aborts when the partition is lost or the worker stops. */
export type Ownership = {
  readonly partition: number
  readonly signal: AbortSignal
  readonly isOwned: () => boolean
}

/** All that delivering one command needs. Its deadline starts at `takenAt`, on the monotonic clock. */
export type Reply = Checked & {
  readonly requestedAt: Attempt['at']
  /** The parent span (W3C Trace Context). */
  readonly traceparent?: string | undefined
  readonly takenAt: number
  readonly work: Ownership
  /** The bridge's own message for a client without a reply. A pause of the service delays it only briefly. */
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
  const tried: Array<Tried & { readonly number: number }> = []

  const limits = { ...account.bot, ...(isLastResort && { lastResortEveryMs }) }

  const elapsed = () => monotonic() - takenAt
  const end = (outcome: Outcome): Delivery =>
    reply.conclude(
      outcome,
      tried.map(({ attempt }) => attempt),
    )
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
    const now = await reply.now()
    if (work.signal.aborted || !work.isOwned()) return { kind: 'left to the next owner' }
    if (now.isFinished) return { kind: 'finished before' }
    const decision = reply.decide(now)
    if (decision === 'names another client') return { kind: decision }
    if (decision !== 'send') return end({ kind: 'suppressed', reason: decision })
    if (elapsed() >= deadlineMs) return giveUp('deadline')
    // The service may have taken other chats since the newest attempt.
    const reason = givenUp(history(), limits)
    return reason === undefined ? undefined : giveUp(reason)
  }
  const tryNow = async (turn: Turn): Promise<Delivery | Again> => {
    const objected = await objection()
    if (objected !== undefined) return objected
    const result = await reply.tryOnce(account, body, reply.traceparent)
    tried.push({ ...result, number: turn.number })
    turn.end(result)
    const step = nextStep(history(), limits, elapsed(), random)
    if (step.kind === 'attempt') return step
    return step.kind === 'failed' ? giveUp(step.reason) : end(step)
  }
  let since = monotonic()
  for (;;) {
    const objected = await objection()
    if (objected !== undefined) return objected
    // This waits outside of the chat's turn: a reply that waits must not delay the invitation of an agent.
    const entrant = { chat, since, isRepeated: tried.length > 0, isLastResort }
    const turn = await gate.enter(entrant, deadlineMs - elapsed(), work.signal)
    if (turn === undefined) continue
    const next = await reply.inTurn(chat, () => tryNow(turn)).finally(() => turn.end())
    if (next.kind !== 'attempt') return next
    since = monotonic()
    await sleep(next.afterMs, work.signal)
  }
}
