import type { OwnedPartition } from '../../domain/log/consumer.ts'
import type { IncomingRecord } from '../../domain/log/record.ts'
import type { Budget } from '../../shared/budget.ts'
import { offsetTracker } from '../../shared/offset-tracker.ts'
import { bytesOf } from '../../shared/slices.ts'
import type { EgressPorts } from '../ports.ts'
import { type AccountBacklog, accountBacklog, type Deferred } from './account-backlog.ts'
import { asksForAgentIn } from './check-command.ts'
import { deferredFetcher } from './fetch-deferred.ts'
import type { MemoryShare } from './memory-shares.ts'

/** The commands that this worker reads from a partition of bot-replies while it owns the partition. */
export type PartitionCommands = {
  readonly partition: number
  /** Aborts when the partition is lost or the worker stops. */
  readonly signal: AbortSignal
  readonly isOwned: () => boolean
  /**
   * Begins a command, or defers it until its account has room: then it is fetched again. Ignores a record that was
   * taken before.
   */
  readonly take: (record: IncomingRecord) => void
  readonly finish: (offset: number) => void
  /** How many commands of an account are deferred. */
  readonly deferred: (account: string) => number
  readonly end: () => void
}

export type PartitionCommandsDeps = {
  readonly partition: number
  readonly owned: OwnedPartition
  readonly stopping: AbortSignal
  readonly ports: Pick<EgressPorts, 'fetchCommands' | 'sleep' | 'random' | 'log'>
  /** The account of a record's key. All keys without a known account count as one account. */
  readonly accountOf: (chat: string) => string
  readonly memoryOf: (account: string) => MemoryShare
  /** The deferred commands of all partitions. When it is spent, partitions are paused that would defer more. */
  readonly deferring: Budget
  /** Begins a command. Commands of a chat begin in order. `ended` must be called at its end. */
  readonly begin: (work: PartitionCommands, record: IncomingRecord, ended: () => void) => void
  /** A deferred command was deleted from the log, as one is that is too old. */
  readonly gone: (work: PartitionCommands, command: Deferred, ended: () => void) => void
}

export const chatOf = ({ key }: Pick<IncomingRecord, 'key'>): string => String(key ?? '')

const deferredOf = ({ key, value, offset, epoch }: IncomingRecord): Deferred => ({
  chat: chatOf({ key }),
  offset,
  epoch,
  isHandOver: asksForAgentIn(value),
})

export const commandsOfPartition = (deps: PartitionCommandsDeps): PartitionCommands => {
  const { partition, owned, stopping, ports, accountOf, memoryOf, deferring, begin, gone } = deps
  const ended = new AbortController()
  const signal = AbortSignal.any([ended.signal, stopping])
  const offsets = offsetTracker()
  const backlogs = new Map<string, AccountBacklog>()
  let resume: (() => void) | undefined

  const isOwned = () => !ended.signal.aborted && owned.isCurrent()
  const backlogOf = (account: string): AccountBacklog => {
    const backlog = backlogs.get(account) ?? accountBacklog(memoryOf(account))
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
    deferring.whenModest(() => resume?.())
  }
  /** False if the account has no room for it any more. */
  const beginDeferred = (account: string, command: Deferred, found: IncomingRecord | 'deleted'): boolean => {
    const bytes = found === 'deleted' ? 0 : bytesOf(found)
    if (!backlogOf(account).begin(command, bytes)) return false
    deferring.giveBack(1)
    const onEnd = () => over(account, command.chat, bytes)
    if (found === 'deleted') gone(work, command, onEnd)
    else begin(work, found, onEnd)
    return true
  }
  const fetchDeferred = deferredFetcher({
    partition,
    ports,
    signal,
    isOwned,
    nextOf: (account) => backlogOf(account).next(),
    hasRoom: (account) => memoryOf(account).hasRoomFor(1),
    begin: beginDeferred,
  })
  const over = (account: string, chat: string, bytes: number) => {
    const backlog = backlogOf(account)
    backlog.ended(chat, bytes)
    if (backlog.deferred() > 0) void fetchDeferred(account)
  }
  const work: PartitionCommands = {
    partition,
    signal,
    isOwned,
    take: (record) => {
      if (!offsets.take(record.offset)) return
      const chat = chatOf(record)
      const account = accountOf(chat)
      const bytes = bytesOf(record)
      const backlog = backlogOf(account)
      const admission = backlog.admit(chat, bytes)
      if (admission === 'begins') return begin(work, record, () => over(account, chat, bytes))
      backlog.defer(deferredOf(record))
      deferring.take(1)
      pauseIfSpent()
      // The end of a command of the chat begins the next one. For the account, memory of other partitions may be freed.
      if (admission === 'waits for its account') void fetchDeferred(account)
    },
    finish: (offset) => {
      const upTo = offsets.finish(offset)
      if (upTo !== undefined && isOwned()) owned.done(upTo)
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
