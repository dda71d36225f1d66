import * as E from 'fp-ts/lib/Either.js'
import { keyOf } from '../../../../contracts/topics.ts'
import { factOf } from '../../domain/conversation-facts.ts'
import { dated } from '../../domain/dated.ts'
import type { OwnedPartition } from '../../domain/log/consumer.ts'
import type { Slice } from '../../domain/log/record.ts'
import { withDeadline } from '../../shared/timeout.ts'
import type { EgressPorts } from '../ports.ts'
import type { Watchdog } from '../watchdog/watchdog.ts'
import type { Tail } from './tail.ts'

const withinMs = 1000

/**
 * Waits until the tail has everything that was in the partition's log at the time of the call. So every event that was
 * answered 200 before a command was published counts for that command. After a second it continues with what is known:
 * a late reply over an agent is better than a client in silence.
 */
export const readBarrier =
  ({ endOffsets, sleep, log }: Pick<EgressPorts, 'endOffsets' | 'sleep' | 'log'>, tail: Tail) =>
  async (partition: number): Promise<void> => {
    const caughtUp = await withDeadline(sleep, withinMs, async () => {
      const ends = await endOffsets('bot-conversations')
      await tail.reached(partition, ends.get(partition) ?? 0)
    })
    if (caughtUp === undefined)
      log.warn({ partition }, 'egress: not caught up with the log in time, deciding with the events known so far')
  }

const evictEveryMs = 10_000

type Ports = Pick<EgressPorts, 'decodeEvent' | 'viewsEnd' | 'monotonic' | 'log'>

/**
 * Keeps the tail and the watchdog up to date. It reads bot-conversations from where the views end, and evicts what the
 * views have processed since. It commits nothing: the next reading begins where the views end then, possibly before
 * records that were read here. The watchdog watches each partition that is owned, also one without any record: its
 * clients may wait since before the topic was created again.
 */
export const followConversations = (
  { decodeEvent, viewsEnd, monotonic, log }: Ports,
  tail: Tail,
  watchdog: Pick<Watchdog, 'watch' | 'note' | 'lose'>,
) => {
  const owners = new Map<number, OwnedPartition>()
  let evictedAt = monotonic()

  const evict = async () => {
    evictedAt = monotonic()
    const endOf = await viewsEnd()
    for (const [partition, owner] of owners) {
      if (owner.isCurrent()) tail.evict(partition, endOf(partition))
      else {
        owners.delete(partition)
        watchdog.lose(partition)
        tail.end(partition)
      }
    }
  }
  const own = (partition: number, owner: OwnedPartition): void => {
    if (!owner.isCurrent()) return
    owners.set(partition, owner)
    watchdog.watch(partition, owner)
  }
  return {
    own,
    startAt: async (partition: number): Promise<number> => {
      const end = (await viewsEnd())(partition)
      owners.delete(partition)
      watchdog.lose(partition)
      tail.begin(partition, end)
      return end.offset
    },
    read: ({ partition, records }: Slice, owner: OwnedPartition): void => {
      if (!owner.isCurrent()) return
      own(partition, owner)
      for (const record of records) {
        tail.enter(partition, record)
        const event = decodeEvent(record)
        const fact = E.isRight(event) ? factOf(dated(event.right)) : undefined
        if (E.isLeft(event)) log.warn({ partition, offset: record.offset }, 'egress: cannot decode an event')
        else if (fact !== undefined) {
          tail.add(partition, keyOf(event.right), fact, record.offset)
          watchdog.note(partition, keyOf(event.right), fact)
        }
      }
      const last = records.at(-1)?.offset
      if (last !== undefined) tail.advance(partition, last + 1)
      if (monotonic() - evictedAt < evictEveryMs) return
      evict().catch(() => log.warn({}, 'egress: cannot read the committed offsets of the views'))
    },
  }
}
