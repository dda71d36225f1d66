import { accountIdIn } from '../../domain/identity.ts'
import type { OwnedPartition } from '../../domain/log/consumer.ts'
import type { IncomingRecord, Slice } from '../../domain/log/record.ts'
import { budget } from '../../shared/budget.ts'
import { faultOf } from '../../shared/fault.ts'
import { keyedQueue } from '../../shared/keyed-queue.ts'
import type { EgressPorts } from '../ports.ts'
import type { HandleCommand, Refuse } from './handle-command.ts'
import { memoryShares } from './memory-shares.ts'
import { chatOf, commandsOfPartition, type PartitionCommands } from './partition-commands.ts'

/** About 30 MB. With more, partitions are paused as a whole, so one account could delay others then. */
const maxDeferred = 200_000
const noAccount = 'no known account'

/** The account in the key of a record. All keys without a known account count as one account. */
export const accountIn = (chat: string, accounts: { readonly has: (id: string) => boolean }): string => {
  const id = accountIdIn(chat)
  return accounts.has(id) ? id : noAccount
}

type Deps = {
  readonly ports: Pick<EgressPorts, 'fetchCommands' | 'monotonic' | 'sleep' | 'random' | 'log'>
  readonly accounts: { readonly has: (id: string) => boolean }
  readonly handle: HandleCommand
  readonly refuse: Refuse
  readonly stopping: AbortSignal
}

/** Takes the commands of all partitions that this worker reads. Those of a chat are handled in their order. */
export const commandTaker = ({ ports, accounts, handle, refuse, stopping }: Deps) => {
  const { log, monotonic } = ports
  const queues = keyedQueue()
  const works = new Map<number, PartitionCommands>()
  const memoryOf = memoryShares()
  const deferring = budget(maxDeferred)

  const unforeseen = (record: IncomingRecord) => (error: unknown) => {
    const { partition, offset } = record
    const detail = faultOf(error)
    log.error({ partition, offset, detail }, 'egress: a command was not handled')
    return refuse.asDeadLetter(record, { cause: 'unforeseen', detail })
  }
  const inOrder = (
    chat: string,
    work: PartitionCommands,
    offset: number,
    run: () => Promise<boolean>,
    ended: () => void,
  ) =>
    queues.add(chat, async () => {
      try {
        if (work.signal.aborted || !work.isOwned()) return
        if (await run()) work.finish(offset)
      } finally {
        ended()
      }
    })
  const workOf = (partition: number, owned: OwnedPartition) => {
    const known = works.get(partition)
    if (known !== undefined) return known
    const work = commandsOfPartition({
      partition,
      owned,
      stopping,
      ports,
      accountOf: (chat) => accountIn(chat, accounts),
      memoryOf,
      deferring,
      begin: (given, record, ended) => {
        const takenAt = monotonic()
        const run = () => handle({ record, work: given, takenAt }).catch(unforeseen(record))
        inOrder(chatOf(record), given, record.offset, run, ended)
      },
      gone: (given, command, ended) =>
        inOrder(command.chat, given, command.offset, () => refuse.gone(partition, command), ended),
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
