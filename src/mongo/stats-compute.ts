import type { Statistics } from '../projections/daily-stats.ts'
import type { Due } from './stats-due.ts'

/** Which computation a day's document is of; null where it was written by hand. */
export type Version = string | null

type Deps = {
  /** The version of a day's document; undefined where it has none. */
  readonly versionOf: (id: string) => Promise<Version | undefined>
  /** Makes a day's document where there is none; the version of what there is. */
  readonly open: (id: string) => Promise<Version>
  /** Undefined where no document belongs to the day: it has no statistics. */
  readonly compute: (id: string) => Promise<Statistics | undefined>
  /** Writes, or removes, only where the version still is that one. */
  readonly replace: (id: string, version: Version, statistics: Statistics | undefined) => Promise<boolean>
  readonly tickOff: (due: Due) => Promise<void>
}

/**
 * Computes a day that was read as due; any number of processes may do so at once, die or freeze wherever they are. Each step
 * changes one document, so that none of them leaves a lock behind.
 *
 * An older computation never replaces a newer one: what is written has asked for the version after what it replaces was
 * written, and has read the documents after that. No change is missed: a mark is ticked off only when a computation is
 * written that began after the mark was read, or had nothing to write; and what replaces it later has read the documents later
 * still.
 */
export const computeDay =
  ({ versionOf, open, compute, replace, tickOff }: Deps) =>
  async (due: Due): Promise<void> => {
    const found = await versionOf(due._id)
    // A day that has nothing, and is to have nothing, is not opened: nobody sees zeros of it in passing.
    if (found === undefined && (await compute(due._id)) === undefined) return tickOff(due)
    const version = found === undefined ? await open(due._id) : found
    if (await replace(due._id, version, await compute(due._id))) await tickOff(due)
  }
