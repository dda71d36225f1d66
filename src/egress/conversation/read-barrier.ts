import { within } from '../patience.ts'
import type { EgressPorts } from '../ports.ts'
import type { Tail } from './tail.ts'

const withinMs = 1000

/**
 * Waits until the tail holds everything that was in the partition's log at the time of the call. So every event that the
 * service was answered 200 for before a command was published counts for that command. After a second it goes on with what
 * is known: a late word over an agent is better than a client in silence.
 */
export const readBarrier =
  ({ endOffsets, sleep, log }: Pick<EgressPorts, 'endOffsets' | 'sleep' | 'log'>, tail: Tail) =>
  async (partition: number): Promise<void> => {
    const caughtUp = await within(sleep, withinMs, async () => {
      const ends = await endOffsets('bot-conversations')
      await tail.reached(partition, ends.get(partition) ?? 0)
    })
    if (caughtUp === undefined) log.warn({ partition }, 'egress: behind the log, fencing with what is known')
  }
