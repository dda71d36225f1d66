import { Id } from '../../../../contracts/primitives.ts'
import type { Account } from '../../domain/accounts.ts'
import { conversationOf } from '../../domain/conversation.ts'
import type { Fact } from '../../domain/conversation-facts.ts'
import { accountIdIn } from '../../domain/identity.ts'
import type { OwnedPartition } from '../../domain/log/consumer.ts'
import { keyedQueue } from '../../shared/keyed-queue.ts'
import type { KnownConversation, ReadConversation } from '../conversation/known-conversation.ts'
import type { CatchUp, Tail } from '../conversation/tail.ts'
import { type BotOwner, ownerOf } from '../delivery/check-command.ts'
import type { SendCommand } from '../delivery/send-command.ts'
import type { EgressPorts } from '../ports.ts'
import { retryUntilAborted } from '../retry-until-aborted.ts'
import { type Escalation, escalationsOf, isStillOpen, longestWaitMs, ownCommand } from './escalations.ts'
import { type PartitionTimers, partitionTimers } from './partition-timers.ts'

/** Makes sure that no client is left in silence, in the partitions of bot-conversations that this worker reads. */
export type Watchdog = {
  /** This owner reads the partition. For a new owner the watchdog finds the open escalations. */
  readonly watch: (partition: number, owner: OwnedPartition) => void
  readonly note: (partition: number, chat: string, fact: Fact) => void
  readonly lose: (partition: number) => void
  /** Starts no new work. */
  readonly stop: () => void
  /** Resolves when no work is in progress. */
  readonly idle: () => Promise<void>
}

const viewsAwayMs = 10_000
const checkAgainMs = 5000

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

export const createWatchdog = ({
  ports,
  accounts,
  tail,
  catchUp,
  readConversation,
  send,
}: {
  readonly ports: Pick<EgressPorts, 'openTurns' | 'endOffsets' | 'now' | 'monotonic' | 'sleep' | 'random' | 'log'>
  readonly accounts: ReadonlyMap<string, Account>
  readonly tail: Pick<Tail, 'reached'>
  readonly catchUp: CatchUp
  readonly readConversation: ReadConversation
  readonly send: SendCommand
}): Watchdog => {
  const timersOf = new Map<number, PartitionTimers>()
  const checks = keyedQueue()
  let isStopped = false

  const { monotonic, now } = ports
  const accountOf = (chat: string) => ownerOf(accounts.get(accountIdIn(chat)))

  /**
   * Reads a chat from the views and the tail and does what is due, outside of the chat's queue of replies. Then it
   * schedules a check of what is due later.
   */
  const check = async (timers: PartitionTimers, account: BotOwner, chatId: Id): Promise<void> => {
    const { work, waitingIn, schedule, forgetTimes } = timers
    const chat = `${account.id}/${chatId}`
    const escalationsNow = ({ conversation }: KnownConversation) =>
      escalationsOf(waitingIn(chat, conversation), account.bot, monotonic())
    const escalate = (clientId: Id, escalation: Escalation) =>
      send({
        work,
        because: escalation.because,
        isLastResort: true,
        account: withoutLimits(account),
        command: ownCommand({ account, chatId, clientId }, escalation),
        requestedAt: now(),
        takenAt: monotonic(),
        decide: (known) => isStillOpen(escalation, known, new Date(now())),
      })
    if (!work.isOwned()) return
    await catchUp(work.partition)
    const read = readConversation(work.partition, { accountId: account.id, chatId })
    const before = await read()
    const { clientId } = before.conversation
    const due = escalationsNow(before).filter(({ dueAt }) => dueAt <= monotonic())
    if (clientId !== undefined) for (const escalation of due) await escalate(clientId, escalation)
    if (!work.isOwned()) return

    const done = new Set(due.map(({ about }) => about))
    const left = escalationsNow(await read()).filter(({ about }) => !done.has(about))
    for (const { dueAt } of left) schedule(chat, dueAt)
    if (!before.isWhole) schedule(chat, monotonic() + viewsAwayMs)
    else if (left.length === 0) forgetTimes(chat)
  }
  const onDue = (timers: PartitionTimers, chat: string) =>
    checks.add(chat, async () => {
      const account = accountOf(chat)
      const chatId = chat.slice(chat.indexOf('/') + 1)
      if (account === undefined || !Id.is(chatId)) return
      try {
        await check(timers, account, chatId)
      } catch (error) {
        const detail = error instanceof Error ? error.name : 'Error'
        const { partition } = timers.work
        ports.log.error({ partition, detail }, 'egress: the watchdog could not check a chat')
        timers.schedule(chat, monotonic() + checkAgainMs)
      }
    })

  /** Open escalations come from the tail, which is first read up to the log's present end, and from the views. */
  const takeOver = async ({ work, start, waitingIn, scheduleAfterGrace }: PartitionTimers) => {
    const { partition, signal } = work
    const endOf = async () => (await ports.endOffsets('bot-conversations')).get(partition) ?? 0
    const end = await retryUntilAborted(ports, 'reading the end of the log', endOf, signal)
    if (end === undefined) return
    await tail.reached(partition, end.value)
    start()
    const since = new Date(Date.parse(now()) - longestWaitMs)
    const find = () => ports.openTurns(partition, [...accounts.keys()], since)
    const found = await retryUntilAborted(ports, 'finding open turns', find, signal)
    for (const document of found?.value ?? []) {
      const bot = accountOf(document._id)?.bot
      if (bot === undefined) continue
      const waiting = waitingIn(document._id, conversationOf(document))
      for (const { dueAt } of escalationsOf(waiting, bot, monotonic())) scheduleAfterGrace(document._id, dueAt)
    }
  }
  const lose = (partition: number) => {
    timersOf.get(partition)?.end()
    timersOf.delete(partition)
  }
  return {
    watch: (partition, owner) => {
      if (isStopped || timersOf.get(partition)?.owner === owner) return
      lose(partition)
      const timers = partitionTimers(ports, (chat) => accountOf(chat)?.bot, onDue, partition, owner)
      timersOf.set(partition, timers)
      void takeOver(timers)
    },
    note: (partition, chat, fact) => timersOf.get(partition)?.note(chat, fact),
    lose,
    stop: () => {
      isStopped = true
      for (const partition of [...timersOf.keys()]) lose(partition)
    },
    idle: checks.idle,
  }
}
