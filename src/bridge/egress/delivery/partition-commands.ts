import type { OwnedPartition } from '../../domain/log/consumer.ts'
import type { IncomingRecord } from '../../domain/log/record.ts'
import type { Budget } from '../../shared/budget.ts'
import type { KeyedQueue } from '../../shared/keyed-queue.ts'
import type { MemoryShares } from '../../shared/memory-shares.ts'
import { offsetTracker } from '../../shared/offset-tracker.ts'
import { bytesOf } from '../../shared/slices.ts'
import type { EgressPorts, FetchedCommands } from '../ports.ts'
import { retryUntilAborted } from '../retry-until-aborted.ts'
import { type AccountBacklog, accountBacklog, type Deferred } from './account-backlog.ts'
import { asksForAgentIn } from './check-command.ts'
import type { HandleCommand, Refuse } from './handle-command.ts'
import type { Handled } from './outcome.ts'
import type { Ownership } from './send-command.ts'

/** The commands that this worker reads from a partition of bot-replies while it owns the partition. */
export type PartitionCommands = Ownership & {
  /**
   * Begins a command, or defers it until its account has room: then it is fetched again. Ignores a record that was
   * taken before.
   */
  readonly take: (record: IncomingRecord) => void
  /** How many commands of an account are deferred. */
  readonly deferred: (account: string) => number
  readonly end: () => void
}

const chatOf = ({ key }: Pick<IncomingRecord, 'key'>): string => String(key ?? '')

const deferredOf = ({ key, value, offset, epoch }: IncomingRecord): Deferred => ({
  chat: chatOf({ key }),
  offset,
  epoch,
  isHandOver: asksForAgentIn(value),
})

/**
 * What a fetch has of a deferred command: its record; `beyond`: the fetch ended before it; `deleted`: the log no longer
 * has it; `replaced`: the log has lost its end and has another record there.
 */
export const finderIn = ({ from, records }: FetchedCommands) => {
  const byOffset = new Map(records.map((record) => [record.offset, record]))
  const last = records.at(-1)?.offset ?? -1
  return ({
    offset,
    epoch,
  }: Pick<Deferred, 'offset' | 'epoch'>): IncomingRecord | 'beyond' | 'deleted' | 'replaced' => {
    const record = byOffset.get(offset)
    if (record === undefined) return offset > last && offset >= from ? 'beyond' : 'deleted'
    return record.epoch === epoch ? record : 'replaced'
  }
}

const fetchEveryMs = 100
const fetchAgainMs = 500

export const commandsOfPartition = ({
  partition,
  owned,
  stopping,
  ports,
  accountOf,
  memory,
  deferring,
  queues,
  handle,
  gone,
}: {
  readonly partition: number
  readonly owned: OwnedPartition
  readonly stopping: AbortSignal
  readonly ports: Pick<EgressPorts, 'fetchCommands' | 'monotonic' | 'sleep' | 'random' | 'log'>
  /** The account of a record's key. All keys without a known account count as one account. */
  readonly accountOf: (chat: string) => string
  readonly memory: MemoryShares
  /** The deferred commands of all partitions. When it is spent, partitions are paused that would defer more. */
  readonly deferring: Budget
  /** One queue for each chat. */
  readonly queues: Pick<KeyedQueue, 'add'>
  readonly handle: HandleCommand
  readonly gone: Refuse['gone']
}): PartitionCommands => {
  const ended = new AbortController()
  const signal = AbortSignal.any([ended.signal, stopping])
  const offsets = offsetTracker()
  const backlogs = new Map<string, AccountBacklog>()
  /** The accounts whose deferred commands are being fetched. */
  const fetching = new Set<string>()
  let resume: (() => void) | undefined

  const isOwned = () => !ended.signal.aborted && owned.isCurrent()
  const backlogOf = (account: string): AccountBacklog => {
    const backlog = backlogs.get(account) ?? accountBacklog(account, memory)
    backlogs.set(account, backlog)
    return backlog
  }
  const pauseIfSpent = () => {
    if (!deferring.isSpent() || resume !== undefined) return
    const resumeFetching = owned.pause()
    resume = () => {
      resume = undefined
      resumeFetching()
    }
    deferring.whenHalfFree(() => resume?.())
  }
  const commit = (offset: number) => {
    const upTo = offsets.finish(offset)
    if (upTo !== undefined && isOwned()) owned.done(upTo)
  }
  /** The command is in progress from now on. It is handled when its chat has none before it. */
  const begin = (account: string, chat: string, offset: number, bytes: number, run: () => Promise<Handled>) =>
    queues.add(chat, async () => {
      try {
        if (!signal.aborted && isOwned() && (await run()) !== 'left to the next owner') commit(offset)
      } finally {
        const backlog = backlogOf(account)
        backlog.ended(chat, bytes)
        if (backlog.deferred() > 0) void beginDeferred(account)
      }
    })
  const beginRecord = (account: string, record: IncomingRecord) => {
    const takenAt = ports.monotonic()
    begin(account, chatOf(record), record.offset, bytesOf(record), () => handle({ record, work, takenAt }))
  }

  /** Begins the deferred commands from one fetch. Returns those that it did not reach, or undefined if it must wait. */
  const beginFetched = async (account: string, wanted: ReadonlyArray<Deferred>) => {
    const [oldest] = wanted
    if (oldest === undefined) return wanted
    const fetch = () => ports.fetchCommands(partition, oldest.offset)
    const fetched = await retryUntilAborted(ports, 'fetching commands again', fetch, signal)
    if (fetched === undefined || !isOwned()) return undefined
    const find = finderIn(fetched.value)
    for (const [place, command] of wanted.entries()) {
      const found = find(command)
      if (found === 'beyond') return place === 0 ? undefined : wanted.slice(place)
      // The consumer notices that and reads the log anew.
      if (found === 'replaced') return undefined
      const bytes = found === 'deleted' ? 0 : bytesOf(found)
      if (!backlogOf(account).begin(command, bytes)) return undefined
      deferring.giveBack(1)
      if (found === 'deleted') begin(account, command.chat, command.offset, 0, () => gone(partition, command))
      else beginRecord(account, found)
    }
    return []
  }
  /** Fetches an account's deferred commands again until none may begin. */
  const beginDeferred = async (account: string): Promise<void> => {
    if (fetching.has(account)) return
    fetching.add(account)
    const { next } = backlogOf(account)
    for (let wanted = next(); wanted.length > 0 && isOwned(); wanted = next()) {
      let left: ReadonlyArray<Deferred> | undefined = memory.hasRoomFor(account, 1) ? wanted : undefined
      while (left !== undefined && left.length > 0) left = await beginFetched(account, left)
      await ports.sleep(left === undefined ? fetchAgainMs : fetchEveryMs, signal)
      if (signal.aborted) break
    }
    fetching.delete(account)
  }
  const work: PartitionCommands = {
    partition,
    signal,
    isOwned,
    take: (record) => {
      if (!offsets.take(record.offset)) return
      const chat = chatOf(record)
      const account = accountOf(chat)
      const backlog = backlogOf(account)
      const admission = backlog.admit(chat, bytesOf(record))
      if (admission === 'begins') return beginRecord(account, record)
      backlog.defer(deferredOf(record))
      deferring.take(1)
      pauseIfSpent()
      // The end of a command of the chat begins the next one. For the account, memory of other partitions may be freed.
      if (admission === 'waits for its account') void beginDeferred(account)
    },
    deferred: (account) => (isOwned() ? (backlogs.get(account)?.deferred() ?? 0) : 0),
    end: () => {
      if (ended.signal.aborted) return
      ended.abort()
      for (const backlog of backlogs.values()) deferring.giveBack(backlog.deferred())
      resume?.()
    },
  }
  return work
}
