import type { ViewName, Views } from '../../contracts/views.ts'
import { dayId, daysOf } from '../projections/stats-days.ts'
import type { Announce } from './optimistic-update.ts'

type Deps = {
  readonly mark: (ids: ReadonlyArray<string>, fresh: boolean) => Promise<void>
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
}

/** Well under the refresher's `calmMs`, so that a mark of this age is still there when the documents are written. */
const renewedEveryMs = 15_000

/**
 * Marks the days of documents before they are written, so that a crash after that forgets none, and when they are
 * written, so that statistics follow at once. Documents that were up to date are marked as well: when a slice comes
 * again, it is not known whether its second mark was set.
 */
export const announceDays = ({ mark, clock }: Deps): Announce<Views[ViewName]> => {
  const announced = new Map<string, number>()

  const forget = (now: number): void => {
    for (const [id, at] of announced) if (now - at >= renewedEveryMs) announced.delete(id)
  }

  return async (writes) => {
    const touched = writes.flatMap(({ collection, before, after }) => daysOf(collection as ViewName, before, after))
    const ids = [...new Set(touched.map(dayId))]
    const now = clock()
    forget(now)
    const unannounced = ids.filter((id) => !announced.has(id))
    await mark(unannounced, false)
    for (const id of unannounced) announced.set(id, now)
    return () => mark(ids, true)
  }
}
