import type { BridgeProcess } from '../../support/bridge-process.ts'
import type { Bench } from './bench.ts'
import { follow, type Look } from './follow.ts'
import { countEntries } from './views.ts'

type Started = {
  readonly bridge: BridgeProcess
  readonly database: string
  /** Events that were in the views when the projector was started. */
  readonly before: number
}

/**
 * Observes the progress of a newly started projector until all views have this many more events. The projector's own
 * count grows by whole slices, so a rate between two of its steps would include the work of slices in progress at the
 * first step, but not their time. The timeline grows while a slice is read, ahead of the other views. The last look is
 * when all views have everything.
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
