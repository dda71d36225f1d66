import type { Attempt } from '../../contracts/events/reply.ts'
import type { Checked } from './check-command.ts'
import type { ConversationNow } from './conversation/conversation-now.ts'
import { decide } from './conversation/fence.ts'
import { nextStep } from './next-step.ts'
import type { Outcome } from './outcome.ts'
import type { PartitionWork } from './partition-work.ts'
import type { EgressPorts } from './ports.ts'
import type { AccountGate } from './service/account-gate.ts'
import type { Tried, TryOnce } from './service/attempt.ts'
import { botRequest } from './service/request.ts'

/** A command's end: its outcome; or it was finished before; or it is not this worker's to finish any more. */
export type Delivery =
  | { readonly kind: 'outcome'; readonly outcome: Outcome; readonly attempts: ReadonlyArray<Attempt> }
  | { readonly kind: 'finished before' | 'dropped' }

/** Everything that delivering one command needs; `takenAt` on the monotonic clock is where its deadline starts. */
export type Reply = Checked & {
  readonly requestedAt: Attempt['at']
  readonly takenAt: number
  readonly work: Pick<PartitionWork, 'isOwned' | 'signal'>
  readonly now: () => Promise<ConversationNow>
  readonly gate: AccountGate
  readonly tryOnce: TryOnce
}

type Ports = Pick<EgressPorts, 'monotonic' | 'random' | 'sleep'>

/**
 * Tries a reply until the service has it, it is refused, or a bound is reached. Whether it may be sent at all is decided
 * anew before each attempt; what happens between that decision and the service's own is a race that stays open: an event
 * that the service sends while the request is under way comes too late for it.
 */
export const deliver = async ({ monotonic, random, sleep }: Ports, reply: Reply): Promise<Delivery> => {
  const { command, account, requestedAt, takenAt, work, gate } = reply
  const { deadlineMs } = account.bot
  const body = botRequest(command, requestedAt)
  const tried: Tried[] = []

  const elapsed = () => monotonic() - takenAt
  const end = (outcome: Outcome): Delivery => ({
    kind: 'outcome',
    outcome,
    attempts: tried.map(({ attempt }) => attempt),
  })
  /** Why there must be no further attempt, if so. */
  const objection = async (): Promise<Delivery | undefined> => {
    const { conversation, isFinished } = await reply.now()
    if (work.signal.aborted || !work.isOwned()) return { kind: 'dropped' }
    if (isFinished) return { kind: 'finished before' }
    const decision = decide(conversation, command)
    if (decision !== 'send') return end({ kind: 'suppressed', reason: decision })
    return elapsed() >= deadlineMs ? end({ kind: 'failed', reason: 'deadline' }) : undefined
  }
  const attempt = async (): Promise<Delivery | undefined> => {
    for (;;) {
      await gate.open(deadlineMs - elapsed(), work.signal)
      const objected = await objection()
      if (objected !== undefined) return objected
      const leave = gate.enter(`${command.accountId}/${command.chatId}`)
      if (leave === undefined) continue
      const result = await reply.tryOnce(account, body)
      leave(result.verdict)
      tried.push(result)
      return undefined
    }
  }
  for (;;) {
    const stopped = (await objection()) ?? (await gate.inSlot(attempt))
    if (stopped !== undefined) return stopped
    const verdicts = tried.map(({ verdict }) => verdict)
    const step = nextStep(verdicts, account.bot, elapsed(), random)
    if (step.kind !== 'attempt') return end(step)
    await sleep(step.afterMs, work.signal)
  }
}
