import type { Statistics } from '../projections/daily-stats.ts'
import type { Due } from './stats-due.ts'

/** Which computation a day's document is of; null where it was written by hand. */
export type Version = string | null

type Deps = {
  /** The version of what there is of a day. */
  readonly open: (id: string) => Promise<Version>
  /** Undefined where the day is to have no statistics. */
  readonly compute: (id: string) => Promise<Statistics | undefined>
  /** Writes only where the version still is that one. */
  readonly replace: (id: string, version: Version, statistics: Statistics | undefined) => Promise<boolean>
  readonly tickOff: (due: Due) => Promise<void>
}

/**
 * Computes a day that was read as due; any number of processes may do so at once, die or freeze wherever they are. Each step
 * changes one document, so that none of them leaves a lock behind.
 *
 * An older computation never replaces a newer one: what is written has asked for the version after what it replaces was
 * written, and has read the documents after that. No change is missed: a mark is ticked off only when a computation is
 * written that began after the mark was read, and what replaces it later has read the documents later still.
 */
export const computeDay =
  ({ open, compute, replace, tickOff }: Deps) =>
  async (due: Due): Promise<void> => {
    const version = await open(due._id)
    const statistics = await compute(due._id)
    if (await replace(due._id, version, statistics))
      // Whoever has announced documents of a day that has none, and died, is to announce them again.
      await tickOff({ ...due, calm: due.calm || statistics === undefined })
  }
