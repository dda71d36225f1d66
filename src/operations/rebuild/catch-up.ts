import type { TopicName } from '../../../contracts/topics.ts'
import { progressOf } from '../../projections/rebuild/pace.ts'
import { isReached, type Logs, type Places, placesOf, type Watched, watch } from '../../projections/rebuild/places.ts'
import type { RebuildDeps } from './deps.ts'
import { readLogs } from './logs.ts'
import type { Replay } from './replay.ts'

export type Sight = {
  /** Looks how far the replay is on the way to these ends. */
  readonly look: (logs: Logs) => { readonly isReached: boolean; readonly places: Places }
}

export const sightOf = (replay: Pick<Replay, 'positions'>, clock: () => number): Sight => {
  let watched: ReadonlyMap<string, Watched> = new Map()
  return {
    look: (logs) => {
      const now = clock()
      watched = watch(watched, placesOf(logs, replay.positions()), now)
      return { isReached: isReached(watched, now), places: watched }
    },
  }
}

const lookEveryMs = 250

/** Resolves when what was in the logs a moment ago is taken in, or the signal aborts. */
export const catchUp = async (
  { kafka, show, sleep, signal }: Pick<RebuildDeps, 'kafka' | 'show' | 'sleep' | 'signal'>,
  topics: ReadonlyArray<TopicName>,
  replay: Replay,
  sight: Sight,
): Promise<void> => {
  const bar = show('replaying', 'records')
  while (!signal.aborted) {
    // Kafka away: the last ends stand until it is back.
    const logs = await readLogs(kafka, topics).catch(() => undefined)
    await sleep(lookEveryMs, signal)
    const { ok, reason } = await replay.health()
    if (logs === undefined) continue
    const { isReached: isThere, places } = sight.look(logs)
    bar.at(progressOf(places), ok ? undefined : reason)
    if (isThere) break
  }
  bar.end()
}
