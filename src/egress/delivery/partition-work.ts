import type { IncomingRecord, OwnedPartition } from '../../domain/ports.ts'
import type { Budget } from '../../shared/budget.ts'
import { offsetTracker } from '../../shared/offset-tracker.ts'
import { bytesOf } from '../../shared/slices.ts'
import type { EgressPorts, FetchedCommands } from '../ports.ts'
import { retryUntilAborted } from '../retry-until-aborted.ts'
import { type AccountBacklog, accountBacklog, type Deferred } from './account-backlog.ts'
import { asksForAgentIn } from './check-command.ts'
import type { MemoryShare } from './memory-shares.ts'

/** The commands that this worker reads from a partition of bot-replies while it owns the partition. */
export type PartitionWork = {
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

export type PartitionWorkDeps = {
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
  readonly begin: (work: PartitionWork, record: IncomingRecord, ended: () => void) => void
  /** A deferred command was deleted from the log, as one is that is too old. */
  readonly gone: (work: PartitionWork, command: Deferred, ended: () => void) => void
}

const fetchEveryMs = 100
const fetchAgainMs = 500

export const chatOf = ({ key }: Pick<IncomingRecord, 'key'>): string => String(key ?? '')

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

export const partitionWork = (deps: PartitionWorkDeps): PartitionWork => {
  const { partition, owned, stopping, ports, accountOf, memoryOf, deferring, begin, gone } = deps
  const ended = new AbortController()
  const signal = AbortSignal.any([ended.signal, stopping])
  const offsets = offsetTracker()
  const backlogs = new Map<string, AccountBacklog>()
  const fetching = new Set<string>()
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
  /** Begins the deferred commands from one fetch. Returns those that it did not reach, or undefined if it must wait. */
  const beginFetched = async (account: string, wanted: ReadonlyArray<Deferred>) => {
    const backlog = backlogOf(account)
    const [oldest] = wanted
    if (oldest === undefined) return wanted
    const fetch = () => ports.fetchCommands(partition, oldest.offset)
    const fetched = await retryUntilAborted(ports, 'fetching commands again', fetch, signal)
    if (fetched === undefined || !isOwned()) return undefined
    const find = finderIn(fetched.value)
    const startedOf = (command: Deferred, bytes: number) => {
      if (!backlog.begin(command, bytes)) return undefined
      deferring.giveBack(1)
      return () => over(account, command.chat, bytes)
    }
    for (const [place, command] of wanted.entries()) {
      const found = find(command)
      if (found === 'beyond') return place === 0 ? undefined : wanted.slice(place)
      // The consumer notices that and reads the log anew.
      if (found === 'replaced') return undefined
      const onEnd = startedOf(command, found === 'deleted' ? 0 : bytesOf(found))
      if (onEnd === undefined) return undefined
      if (found === 'deleted') gone(work, command, onEnd)
      else begin(work, found, onEnd)
    }
    return []
  }
  /** Fetches deferred commands again until none has room. One call runs at a time for each account. */
  const fetchDeferred = async (account: string) => {
    if (fetching.has(account)) return
    fetching.add(account)
    for (let wanted = backlogOf(account).next(); wanted.length > 0 && isOwned(); wanted = backlogOf(account).next()) {
      let left: ReadonlyArray<Deferred> | undefined = wanted
      if (memoryOf(account).hasRoomFor(1))
        while (left !== undefined && left.length > 0) left = await beginFetched(account, left)
      else left = undefined
      await ports.sleep(left === undefined ? fetchAgainMs : fetchEveryMs, signal)
      if (signal.aborted) break
    }
    fetching.delete(account)
  }
  const over = (account: string, chat: string, bytes: number) => {
    const backlog = backlogOf(account)
    backlog.ended(chat, bytes)
    if (backlog.deferred() > 0) void fetchDeferred(account)
  }
  const work: PartitionWork = {
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
