import type { Log, Sleep } from '../domain/ports.ts'
import { classify } from './classify.ts'
import type { Due } from './stats-due.ts'

type Deps = {
  readonly dueDays: () => Promise<ReadonlyArray<Due>>
  readonly daysWithChanges: () => Promise<number>
  readonly computeDay: (due: Due) => Promise<void>
  readonly log: Log
  readonly sleep: Sleep
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
}

export type StatsRefresher = {
  readonly start: () => void
  /** Resolves when nothing of it is under way any more. */
  readonly stop: () => Promise<void>
  /** Resolves when every change that is in the views is in the statistics; only while it runs. */
  readonly settled: () => Promise<void>
}

/**
 * A twentieth of the time at most goes into statistics, however long they take; time that an outage cost does not count.
 */
export const pauseAfter = (lastMs: number): number => Math.max(500, 19 * lastMs)

/** Keeps daily_stats up to date with the documents: one day after the other, and then a pause. */
export const statsRefresher = (deps: Deps): StatsRefresher => {
  const { dueDays, daysWithChanges, computeDay, log, sleep, clock } = deps
  let running: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined

  /** How long the day took. */
  const refresh = async (due: Due): Promise<number> => {
    const began = clock()
    await computeDay(due)
    return clock() - began
  }

  /** How long to pause after all days that are due. One that fails stays due, and does not keep the others back. */
  const pass = async (signal: AbortSignal): Promise<number> => {
    let spent = 0
    let failed = false
    const note = (error: unknown): void => {
      failed = true
      log.warn({ reason: classify(error).reason }, 'statistics could not be computed; tried again')
    }
    try {
      for (const due of await dueDays()) {
        if (signal.aborted) return 0
        spent += await refresh(due).catch((error: unknown) => {
          note(error)
          return 0
        })
      }
    } catch (error) {
      note(error)
    }
    return failed ? Math.max(1_000, pauseAfter(spent)) : pauseAfter(spent)
  }

  const run = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) await sleep(await pass(signal), signal)
  }

  return {
    start: () => {
      if (running !== undefined) return
      const stop = new AbortController()
      running = { stop, ended: run(stop.signal) }
    },
    stop: async () => {
      running?.stop.abort()
      await running?.ended
      running = undefined
    },
    settled: async () => {
      while ((await daysWithChanges()) > 0) await sleep(50)
    },
  }
}
