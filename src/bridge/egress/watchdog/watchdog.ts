import { Id } from '../../../../contracts/primitives.ts'
import type { Account } from '../../domain/accounts.ts'
import { conversationOf } from '../../domain/conversation.ts'
import type { Fact } from '../../domain/conversation-facts.ts'
import { accountIdIn } from '../../domain/identity.ts'
import type { OwnedPartition } from '../../domain/log/consumer.ts'
import { keyedQueue } from '../../shared/keyed-queue.ts'
import type { Tail } from '../conversation/tail.ts'
import { ownerOf } from '../delivery/check-command.ts'
import type { EgressPorts } from '../ports.ts'
import { retryUntilAborted } from '../retry-until-aborted.ts'
import { escalationsOf, longestWaitMs } from './escalations.ts'
import type { looker } from './look.ts'
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

type Parts = {
  readonly ports: Pick<EgressPorts, 'openTurns' | 'endOffsets' | 'now' | 'monotonic' | 'sleep' | 'random' | 'log'>
  readonly accounts: ReadonlyMap<string, Account>
  readonly tail: Tail
  readonly look: ReturnType<typeof looker>
}

const lookAgainMs = 5000

export const createWatchdog = ({ ports, accounts, tail, look }: Parts): Watchdog => {
  const timersOf = new Map<number, PartitionTimers>()
  const looks = keyedQueue()
  let isStopped = false

  const { monotonic, sleep } = ports
  const wallMs = () => Date.parse(ports.now())
  const accountOf = (chat: string) => ownerOf(accounts.get(accountIdIn(chat)))
  const onDue = (timers: PartitionTimers, chat: string) =>
    looks.add(chat, async () => {
      const account = accountOf(chat)
      const chatId = chat.slice(chat.indexOf('/') + 1)
      if (account === undefined || !Id.is(chatId)) return
      try {
        await look(timers, { account, chatId })
      } catch (error) {
        const detail = error instanceof Error ? error.name : 'Error'
        ports.log.error({ partition: timers.work.partition, detail }, 'egress: the watchdog could not check a chat')
        timers.schedule(chat, monotonic() + lookAgainMs)
      }
    })

  /** Open escalations come from the tail, which is first read up to the log's present end, and from the views. */
  const takeOver = async (timers: PartitionTimers) => {
    const { work, start, waitingIn, scheduleAfterGrace } = timers
    const { partition } = work
    const end = await retryUntilAborted(
      ports,
      'reading the end of the log',
      async () => (await ports.endOffsets('bot-conversations')).get(partition) ?? 0,
      work.signal,
    )
    if (end === undefined) return
    await tail.reached(partition, end.value)
    start()
    const since = new Date(wallMs() - longestWaitMs)
    const find = () => ports.openTurns(partition, [...accounts.keys()], since)
    const found = await retryUntilAborted(ports, 'finding open turns', find, work.signal)
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
      const deps = { sleep, monotonic, wallMs, botOf: (chat: string) => accountOf(chat)?.bot, onDue }
      const timers = partitionTimers(deps, partition, owner)
      timersOf.set(partition, timers)
      void takeOver(timers)
    },
    note: (partition, chat, fact) => timersOf.get(partition)?.note(chat, fact),
    lose,
    stop: () => {
      isStopped = true
      for (const partition of [...timersOf.keys()]) lose(partition)
    },
    idle: looks.idle,
  }
}
