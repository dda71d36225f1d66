import type { OwnedPartition } from '../ports.ts'
import { lowWater } from './low-water.ts'

/** The commands that were taken from a partition of bot-replies while it was this worker's, in one stretch. */
export type PartitionWork = {
  readonly partition: number
  /** Aborts when the partition is lost or the worker stops. */
  readonly signal: AbortSignal
  readonly isOwned: () => boolean
  /** False for an offset that was taken before. */
  readonly take: (offset: number) => boolean
  readonly finish: (offset: number) => void
  readonly end: () => void
}

/** Above so many unfinished commands the partition is paused, below half of it resumed. */
const bound = 1000

export const partitionWork = (partition: number, owned: OwnedPartition, stopping: AbortSignal): PartitionWork => {
  const ended = new AbortController()
  const water = lowWater()
  let resume: (() => void) | undefined

  const isOwned = () => !ended.signal.aborted && owned.isCurrent()
  const resumeIfPaused = () => {
    resume?.()
    resume = undefined
  }
  return {
    partition,
    signal: AbortSignal.any([ended.signal, stopping]),
    isOwned,
    take: (offset) => {
      const isNew = water.take(offset)
      if (water.unfinished() > bound) resume ??= owned.pause()
      return isNew
    },
    finish: (offset) => {
      const upTo = water.finish(offset)
      if (!isOwned()) return
      if (upTo !== undefined) owned.done(upTo)
      if (water.unfinished() < bound / 2) resumeIfPaused()
    },
    end: () => {
      ended.abort()
      resumeIfPaused()
    },
  }
}
