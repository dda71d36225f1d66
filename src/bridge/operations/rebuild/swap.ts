import type { LeasedRebuild } from '../../mongo/rebuild/rebuilds.ts'
import type { ViewName } from '../../views/index.ts'
import { topicsOfViews } from '../../views/index.ts'
import { readLogs } from './places.ts'
import type { RebuildDeps, Replay } from './replay.ts'

/**
 * `leaseMs`: how long the live writers wait at most. `withinMs`: the part of it in which the rebuild must process all
 * records that existed when the wait began.
 */
const leaseMs = 20_000
const withinMs = 8_000
const checkEveryMs = 10
const tries = 5

type Deps = Pick<RebuildDeps, 'kafka' | 'sleep' | 'clock' | 'signal'>

const takeIn = async ({ kafka, sleep, clock }: Deps, views: ReadonlyArray<ViewName>, replay: Replay) => {
  const deadline = clock() + withinMs
  // Read after the lock is acquired: src/bridge/mongo/rebuild/swap.ts says why that is enough.
  const logs = await readLogs(kafka, topicsOfViews(views))
  while (!replay.check(logs).isReached) {
    if (clock() > deadline) return false
    await sleep(checkEveryMs)
  }
  return true
}

/** One attempt. Returns the views that are live now. */
const attempt = async (
  deps: Deps,
  own: LeasedRebuild,
  views: ReadonlyArray<ViewName>,
  replay: Replay,
): Promise<ReadonlyArray<ViewName>> => {
  const token = await own.lock(leaseMs)
  if (token === undefined) throw new Error('the rebuild was taken over by another process')
  let swapped: ReadonlyArray<ViewName> = []
  try {
    if (await takeIn(deps, views, replay)) {
      await replay.hold()
      swapped = await own.swap(token, views)
    }
  } finally {
    await own.unlock(token)
  }
  // After a swap the rebuilt view has no collection of its own. So the replay stays on hold and writes nothing more.
  if (swapped.length === 0) replay.release()
  return swapped
}

/** Replaces the live views with the rebuilt ones. Resolves with the views that were swapped. */
export const swapViews = async (
  deps: Deps,
  own: LeasedRebuild,
  views: ReadonlyArray<ViewName>,
  replay: Replay,
): Promise<ReadonlyArray<ViewName>> => {
  await own.enter('swapping')
  for (let tried = 1; ; tried++) {
    const swapped = await attempt(deps, own, views, replay)
    if (swapped.length > 0 || tried === tries || deps.signal.aborted) return swapped
    await deps.sleep(1_000, deps.signal)
  }
}
