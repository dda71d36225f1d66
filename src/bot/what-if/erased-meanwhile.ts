import type { DomainEvent } from '../../../contracts/events/index.ts'
import { erasedFinder } from '../../bridge/domain/person/erased.ts'
import type { Erasures } from '../../bridge/mongo/erasures.ts'
import { chunks } from '../../bridge/shared/slices.ts'

type Known = Pick<Erasures, 'erasedAt' | 'newestErasure'>

const freshMs = 1_000
const eventsAtOnce = 1_000

/**
 * Finds persons who were erased before what-if began, or are erased while it runs. `isErased` is for each turn, so it
 * costs a question only if an erasure was requested since the start, which it looks up at most once a second. `among`
 * asks in any case.
 */
export const erasedMeanwhile = async (erasures: Known, clock: () => number) => {
  const find = erasedFinder({ ...erasures, clock })
  const newestAt = async () => (await erasures.newestErasure())?.getTime()
  const first = await newestAt()
  let known = { at: clock(), newest: Promise.resolve(first) }
  return {
    isErased: async (events: ReadonlyArray<DomainEvent>): Promise<boolean> => {
      if (clock() - known.at >= freshMs) known = { at: clock(), newest: newestAt() }
      return (await known.newest) !== first && (await find(events)).size > 0
    },
    /** The chats of which a person was erased, by their ids, of any number of chats. */
    among: async (chats: ReadonlyMap<string, ReadonlyArray<DomainEvent>>): Promise<ReadonlySet<string>> => {
      const findNow = erasedFinder({ ...erasures, clock })
      const all = [...chats].flatMap(([chatId, events]) => events.map((event) => ({ chatId, event })))
      const found = new Set<string>()
      for (const some of chunks(all, eventsAtOnce)) {
        const erased = await findNow(some.map(({ event }) => event))
        for (const { chatId, event } of some) if (erased.has(event)) found.add(chatId)
      }
      return found
    },
  }
}
export type ErasedMeanwhile = Awaited<ReturnType<typeof erasedMeanwhile>>
