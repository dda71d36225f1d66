import { accountIdIn } from '../../domain/identity.ts'
import type { OwnedPartition } from '../../domain/log/consumer.ts'
import type { Slice } from '../../domain/log/record.ts'
import { budget } from '../../shared/budget.ts'
import { keyedQueue } from '../../shared/keyed-queue.ts'
import { memoryShares } from '../../shared/memory-shares.ts'
import type { EgressPorts } from '../ports.ts'
import type { HandleCommand, Refuse } from './handle-command.ts'
import { commandsOfPartition, type PartitionCommands } from './partition-commands.ts'

/** About 30 MB. With more, partitions are paused as a whole, so one account could delay others then. */
const maxDeferred = 200_000
const maxBytes = 64 * 1024 * 1024
const noAccount = 'no known account'

/** The account in the key of a record. All keys without a known account count as one account. */
export const accountIn = (chat: string, accounts: { readonly has: (id: string) => boolean }): string => {
  const id = accountIdIn(chat)
  return accounts.has(id) ? id : noAccount
}

/**
 * An account may use as much as nobody uses, and always enough for one command. So the first account with very many
 * commands gets half of the memory, the next one a third, and there is always room for an account that has few.
 */
export const commandMemory = (atMost = maxBytes) =>
  memoryShares(atMost, (own, free, bytes) => own === 0 || own + bytes <= free)

/** Takes the commands of all partitions that this worker reads. Those of a chat are handled in their order. */
export const commandTaker = ({
  ports,
  accounts,
  handle,
  refuse,
  stopping,
}: {
  readonly ports: Pick<EgressPorts, 'fetchCommands' | 'monotonic' | 'sleep' | 'random' | 'log'>
  readonly accounts: { readonly has: (id: string) => boolean }
  readonly handle: HandleCommand
  readonly refuse: Pick<Refuse, 'gone'>
  readonly stopping: AbortSignal
}) => {
  const queues = keyedQueue()
  const works = new Map<number, PartitionCommands>()
  const memory = commandMemory()
  const deferring = budget(maxDeferred)

  const workOf = (partition: number, owned: OwnedPartition) => {
    const known = works.get(partition)
    if (known !== undefined) return known
    const work = commandsOfPartition({
      partition,
      owned,
      stopping,
      ports,
      accountOf: (chat) => accountIn(chat, accounts),
      memory,
      deferring,
      queues,
      handle,
      gone: refuse.gone,
    })
    works.set(partition, work)
    return work
  }
  /** What is kept for a partition that another worker has now. */
  const dropLost = () => {
    for (const [partition, work] of works)
      if (!work.isOwned()) {
        work.end()
        works.delete(partition)
      }
  }
  return {
    take: ({ partition, records }: Slice, owned: OwnedPartition): void => {
      if (stopping.aborted || !owned.isCurrent()) return
      dropLost()
      const work = workOf(partition, owned)
      for (const record of records) work.take(record)
    },
    /** How many commands of an account wait in the log until it has room for them. */
    deferred: (account: string): number => [...works.values()].reduce((sum, work) => sum + work.deferred(account), 0),
    /** How many chats have commands in progress. */
    chats: queues.size,
    /** Resolves when no command is in progress. */
    idle: queues.idle,
  }
}
