import type { IncomingRecord } from '../../domain/log/record.ts'
import type { EgressPorts, FetchedCommands } from '../ports.ts'
import { retryUntilAborted } from '../retry-until-aborted.ts'
import type { Deferred } from './account-backlog.ts'

const fetchEveryMs = 100
const fetchAgainMs = 500

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

type Deps = {
  readonly partition: number
  readonly ports: Pick<EgressPorts, 'fetchCommands' | 'sleep' | 'random' | 'log'>
  readonly signal: AbortSignal
  readonly isOwned: () => boolean
  /** The deferred commands of an account that may begin now, in the order of the log. */
  readonly nextOf: (account: string) => ReadonlyArray<Deferred>
  readonly hasRoom: (account: string) => boolean
  /** Begins a deferred command, or reports that it was deleted. False if its account has no room for it any more. */
  readonly begin: (account: string, command: Deferred, found: IncomingRecord | 'deleted') => boolean
}

/** Fetches an account's deferred commands again until none may begin. One fetch runs at a time for each account. */
export const deferredFetcher = ({ partition, ports, signal, isOwned, nextOf, hasRoom, begin }: Deps) => {
  const fetching = new Set<string>()

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
      if (!begin(account, command, found)) return undefined
    }
    return []
  }

  return async (account: string): Promise<void> => {
    if (fetching.has(account)) return
    fetching.add(account)
    for (let wanted = nextOf(account); wanted.length > 0 && isOwned(); wanted = nextOf(account)) {
      let left: ReadonlyArray<Deferred> | undefined = hasRoom(account) ? wanted : undefined
      while (left !== undefined && left.length > 0) left = await beginFetched(account, left)
      await ports.sleep(left === undefined ? fetchAgainMs : fetchEveryMs, signal)
      if (signal.aborted) break
    }
    fetching.delete(account)
  }
}
