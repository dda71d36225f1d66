import * as E from 'fp-ts/lib/Either.js'
import { keyOf } from '../../../../contracts/topics.ts'
import { factOf } from '../../domain/conversation-facts.ts'
import { dated } from '../../domain/dated.ts'
import type { OwnedPartition } from '../../domain/log/consumer.ts'
import type { Slice } from '../../domain/log/record.ts'
import type { EgressPorts } from '../ports.ts'
import type { Watchdog } from '../watchdog/watchdog.ts'
import type { Tail } from './tail.ts'

const evictEveryMs = 10_000

/**
 * Keeps the tail and the watchdog up to date. It reads bot-conversations from where the views end, and evicts what the
 * views have processed since. It commits nothing: the next reading begins where the views end then, possibly before
 * records that were read here. The watchdog watches each partition that is owned, also one without any record: its
 * clients may wait since before the topic was created again.
 */
export const followConversations = (
  { decodeEvent, viewsEnd, monotonic, log }: Pick<EgressPorts, 'decodeEvent' | 'viewsEnd' | 'monotonic' | 'log'>,
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
