import type { ViewName } from '../../../contracts/views.ts'
import type { OwnRebuild } from '../../mongo/rebuild/own-rebuild.ts'
import { topicsOf } from '../../projections/rebuild/sources.ts'
import type { Sight } from './catch-up.ts'
import type { RebuildDeps } from './deps.ts'
import { readLogs } from './logs.ts'
import type { Replay } from './replay.ts'

/** How long the live writers wait at the most; and of that, until the rebuild has taken in what there was when they began to. */
const leaseMs = 20_000
const withinMs = 8_000
const lookEveryMs = 10
const tries = 5

type Deps = Pick<RebuildDeps, 'kafka' | 'sleep' | 'clock' | 'signal'>

const takeIn = async ({ kafka, sleep, clock }: Deps, views: ReadonlyArray<ViewName>, sight: Sight) => {
  const deadline = clock() + withinMs
  // Asked for after the lock is there: src/mongo/rebuild/swap.ts says why that is enough.
  const logs = await readLogs(kafka, topicsOf(views))
  while (!sight.look(logs).isReached) {
    if (clock() > deadline) return false
    await sleep(lookEveryMs)
  }
  return true
}

/** One attempt: the views that are live now. */
const attempt = async (
  deps: Deps,
  own: OwnRebuild,
  views: ReadonlyArray<ViewName>,
  replay: Replay,
  sight: Sight,
): Promise<ReadonlyArray<ViewName>> => {
  const token = await own.lock(leaseMs)
  if (token === undefined) throw new Error('the rebuild was taken over by another process')
  let swapped: ReadonlyArray<ViewName> = []
  try {
    if (await takeIn(deps, views, sight)) {
      await replay.hold()
      swapped = await own.swap(token, views)
    }
  } finally {
    await own.unlock(token)
  }
  // What is live by now has no collection of its own any more: nothing may be written as if it had.
  if (swapped.length === 0) replay.release()
  return swapped
}

/** Puts the rebuilt views in the place of the live ones; resolves with those for which that is done. */
export const swapViews = async (
  deps: Deps,
  own: OwnRebuild,
  views: ReadonlyArray<ViewName>,
  replay: Replay,
  sight: Sight,
): Promise<ReadonlyArray<ViewName>> => {
  await own.enter('swapping')
  for (let tried = 1; ; tried++) {
    const swapped = await attempt(deps, own, views, replay, sight)
    if (swapped.length > 0 || tried === tries || deps.signal.aborted) return swapped
    await deps.sleep(1_000, deps.signal)
  }
}
