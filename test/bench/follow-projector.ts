import type { BridgeProcess } from '../support/bridge-process.ts'
import type { Bench } from './bench.ts'
import { follow, type Look } from './follow.ts'
import { countEntries } from './views.ts'

type Started = {
  readonly bridge: BridgeProcess
  readonly database: string
  /** Events that were in the views when it was started. */
  readonly before: number
}

/**
 * Looks at how far a projector is that was just started, until all views have so many events more. Its own count grows by whole
 * slices, so that a rate between two looks would have the work of slices under way at the first, and not its time; the timeline
 * grows while a slice is read, ahead of the other views. The last look is when everything is in all of them.
 */
export const followProjector = async (
  bench: Bench,
  { bridge, database, before }: Started,
  until: number,
  everyMs?: number,
): Promise<ReadonlyArray<Look>> => {
  const entries = await countEntries(bench, database)
  const read = async () => {
    const projected = (await bridge.metric('livechat_projected_records_total')) ?? 0
    return projected >= until ? projected : Math.min(until - 1, (await entries.soFar()) - before)
  }
  const looks = await follow(until, read, [bridge.pid], everyMs)
  await entries.stop()
  return looks
}
