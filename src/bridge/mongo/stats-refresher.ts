import { MongoServerError } from 'mongodb'
import type { Log } from '../shared/log.ts'
import { repeat, startedOnce } from '../shared/repeat.ts'
import type { Sleep } from '../shared/time.ts'
import { accountDay, type TimeZoneOf } from '../views/stats-days.ts'
import { classify } from './classify.ts'
import { rejectAfter, stepMs } from './client.ts'
import type { MongoConnection } from './connect.ts'
import { computeDayIn } from './stats-compute.ts'
import { type Due, dueDays, readDue } from './stats-due.ts'

type Deps = {
  readonly readDue: () => Promise<ReadonlyArray<Due>>
  readonly daysWithChanges: () => Promise<number>
  readonly computeDay: (due: Due) => Promise<void>
  readonly log: Log
  readonly sleep: Sleep
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number
}

export type StatsRefresher = {
  readonly start: () => void
  /** Resolves when no computation is running any more. */
  readonly stop: () => Promise<void>
  /** Resolves when the statistics have every change that is in the views. Works only while the refresher runs. */
  readonly settled: () => Promise<void>
}

/**
 * A pass takes `passMs` and what its last two days take beyond that, so the newest day of an account is never older
 * than 10 s and the time of its computation.
 */
const longestPauseMs = 5_000

/**
 * The pause after computations of `lastMs`: a fiftieth of the time goes into statistics, more only if readers would
 * wait too long. Outages do not count.
 */
export const pauseAfter = (lastMs: number): number => Math.min(longestPauseMs, Math.max(500, 49 * lastMs))

const passMs = 2_000
/** Nothing is due. The next change waits for this long at most, and for its computation. */
const idlePauseMs = 1_500

/** First the newest day of each account, which is most likely today, then the other days. */
const newestFirst = (days: ReadonlyArray<Due>): ReadonlyArray<ReadonlyArray<Due>> => {
  const byAccount = Map.groupBy(days, ({ _id }) => accountDay(_id).accountId).values()
  const newest = new Set(
    [...byAccount].map((own) =>
      own
        .map(({ _id }) => _id)
        .toSorted()
        .at(-1),
    ),
  )
  return [days.filter(({ _id }) => newest.has(_id)), days.filter(({ _id }) => !newest.has(_id))]
}

/**
 * Keeps daily_stats up to date with the documents: computes some days, one after the other, and then pauses. Half of
 * the time is for the newest day of each account. So today does not wait for a thousand days that a catch-up has
 * changed.
 */
export const statsRefresher = (deps: Deps): StatsRefresher => {
  const { readDue, daysWithChanges, computeDay, log, sleep, clock } = deps
  const done = new Set<string>()

  /** The days that were not computed in this round. If there are none, the next round begins with all days. */
  const inTurn = (days: ReadonlyArray<Due>): ReadonlyArray<Due> => {
    const left = days.filter(({ _id }) => !done.has(_id))
    if (left.length > 0) return left
    for (const { _id } of days) done.delete(_id)
    return days
  }

  /** Computes some due days and returns the pause. A day that fails stays due and does not block the others. */
  const pass = async (signal: AbortSignal): Promise<number> => {
    let spent = 0
    let failed = false
    const note = (error: unknown): void => {
      failed = true
      log.warn({ reason: classify(error).reason }, 'statistics could not be computed; will be retried')
    }
    const refresh = async (due: Due): Promise<void> => {
      const began = clock()
      done.add(due._id)
      try {
        await computeDay(due)
        spent += clock() - began
      } catch (error) {
        // MongoDB has also spent time on queries that it refuses in the end, such as one that takes too long.
        if (error instanceof MongoServerError) spent += clock() - began
        note(error)
      }
    }
    try {
      const due = await readDue()
      if (due.length === 0) return idlePauseMs
      for (const days of newestFirst(due)) {
        const until = clock() + passMs / 2
        for (const due of inTurn(days)) {
          if (signal.aborted) return 0
          await refresh(due)
          if (clock() > until) break
        }
      }
    } catch (error) {
      note(error)
    }
    return failed ? Math.max(1_000, pauseAfter(spent)) : pauseAfter(spent)
  }

  return {
    ...startedOnce(() => repeat(pass, sleep)),
    settled: async () => {
      while ((await daysWithChanges()) > 0) await sleep(50)
    },
  }
}

/** The refresher of this database; one for each process, not running until it is started. */
export const statsRefresherIn = (
  { query, databaseWith }: Pick<MongoConnection, 'query' | 'databaseWith'>,
  timeZoneOf: TimeZoneOf,
  others: Pick<Deps, 'log' | 'sleep' | 'clock'>,
): StatsRefresher =>
  query((db) =>
    statsRefresher({
      ...others,
      readDue: () => readDue(db),
      daysWithChanges: () => rejectAfter(stepMs, dueDays(db).countDocuments()),
      // A query may take a minute, longer than the socket timeout of the other clients.
      computeDay: computeDayIn(databaseWith({ socketTimeoutMS: 90_000 }), timeZoneOf),
    }),
  )
