import type { Sleep } from '../../domain/ports.ts'
import type { Acquire, Permit } from '../../shared/semaphore.ts'
import type { PartitionQueue } from './partition-queue.ts'

type Deps = {
  readonly queue: Pick<PartitionQueue, 'deepen' | 'isFull' | 'records'>
  readonly takeTurn: Acquire
  /** How many records the log has behind those that were fetched. */
  readonly behind: () => number
  /** Whether nothing more will be fetched. */
  readonly isHeld: () => boolean
  readonly changed: () => void
  readonly sleep: Sleep
  readonly closed: AbortSignal
}

const farBehind = 1_000
/** Beside others that gather or are handled, a deep slice takes a second or two to come. */
const withinMs = 4_000

/** Lets a partition that is far behind wait for its turn and then gather until a deep slice is there. */
export const depthOf = ({ queue, takeTurn, behind, isHeld, changed, sleep, closed }: Deps) => {
  let enough = new AbortController()
  const look = () => {
    if (enough.signal.aborted) return
    if (closed.aborted || isHeld() || queue.isFull() || behind() <= 0) enough.abort()
  }
  closed.addEventListener('abort', () => enough.abort())
  return {
    /** To be called when something has changed that may be enough. */
    look,
    /** At once, and without a turn, where it is not far behind; the turn is over when it is disposed. */
    wait: async (): Promise<Permit | undefined> => {
      if (behind() + queue.records() < farBehind) return undefined
      const turn = await takeTurn(closed)
      queue.deepen(true)
      changed()
      enough = new AbortController()
      look()
      await sleep(withinMs, enough.signal)
      queue.deepen(false)
      changed()
      return turn
    },
  }
}
