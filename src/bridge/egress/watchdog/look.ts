import type { Id } from '../../../../contracts/primitives.ts'
import type { ConversationNow } from '../conversation/conversation-now.ts'
import type { BotOwner } from '../delivery/check-command.ts'
import type { SendCommand } from '../delivery/send-command.ts'
import type { EgressPorts } from '../ports.ts'
import { type Chat, type Escalation, escalationsOf, isStillOpen, longestWaitMs, ownCommand } from './escalations.ts'
import type { PartitionTimers } from './partition-timers.ts'

type Parts = {
  readonly ports: Pick<EgressPorts, 'now' | 'monotonic'>
  readonly barrier: (partition: number) => Promise<void>
  readonly nowOf: (
    partition: number,
    chat: { readonly accountId: BotOwner['id']; readonly chatId: Id },
  ) => () => Promise<ConversationNow>
  readonly send: SendCommand
}

const viewsAwayMs = 10_000

/**
 * A message of the bridge itself ends when the service has taken it, when the conversation has changed, or after the
 * longest time that a client may wait. Until then the client counts as waiting.
 */
const withoutLimits = (account: BotOwner): BotOwner => ({
  ...account,
  bot: {
    ...account.bot,
    attempts: Number.POSITIVE_INFINITY,
    timeouts: Number.POSITIVE_INFINITY,
    deadlineMs: longestWaitMs,
  },
})

/**
 * Reads a chat from the views and the tail and does what is due, outside of the chat's queue of replies. Then it
 * schedules a look at what is due later.
 */
export const looker =
  ({ ports, barrier, nowOf, send }: Parts) =>
  async (
    { work, waitingIn, schedule, settled }: PartitionTimers,
    { account, chatId }: Omit<Chat, 'clientId'>,
  ): Promise<void> => {
    const chat = `${account.id}/${chatId}`
    const { monotonic } = ports
    const escalationsNow = ({ conversation }: ConversationNow) =>
      escalationsOf(waitingIn(chat, conversation), account.bot, monotonic())
    const escalate = async (clientId: Id, escalation: Escalation) => {
      await send({
        work,
        because: escalation.because,
        isLastResort: true,
        account: withoutLimits(account),
        command: ownCommand({ account, chatId, clientId }, escalation),
        requestedAt: ports.now(),
        takenAt: monotonic(),
        decide: (now) => isStillOpen(escalation, now, new Date(ports.now())),
      })
    }
    if (!work.isOwned()) return
    await barrier(work.partition)
    const read = nowOf(work.partition, { accountId: account.id, chatId })
    const before = await read()
    const { clientId } = before.conversation
    const due = escalationsNow(before).filter(({ dueAt }) => dueAt <= monotonic())
    if (clientId !== undefined) for (const escalation of due) await escalate(clientId, escalation)
    if (!work.isOwned()) return

    const done = new Set(due.map(({ about }) => about))
    const left = escalationsNow(await read()).filter(({ about }) => !done.has(about))
    for (const { dueAt } of left) schedule(chat, dueAt)
    if (!before.isWhole) schedule(chat, monotonic() + viewsAwayMs)
    else if (left.length === 0) settled(chat)
  }
