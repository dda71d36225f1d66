import type { OwnedPartition } from '../../domain/ports.ts'
import { type ByteBudget, inFlightLimit } from './in-flight-limit.ts'
import { offsetTracker } from './offset-tracker.ts'

/** The commands that were taken from a partition of bot-replies while it was this worker's. */
export type PartitionWork = {
  readonly partition: number
  /** Aborts when the partition is lost or the worker stops. */
  readonly signal: AbortSignal
  readonly isOwned: () => boolean
  /** False for an offset that was taken before. Where too much is under way, the partition is paused until it is less. */
  readonly take: (offset: number, chat: string) => boolean
  readonly finish: (offset: number, chat: string) => void
  readonly end: () => void
}

export const partitionWork = (
  partition: number,
  owned: OwnedPartition,
  stopping: AbortSignal,
  budget: ByteBudget,
): PartitionWork => {
  const ended = new AbortController()
  const offsets = offsetTracker()
  const inFlight = inFlightLimit()
  let resume: (() => void) | undefined

  const isOwned = () => !ended.signal.aborted && owned.isCurrent()
  const resumeIfPaused = () => {
    resume?.()
    resume = undefined
  }
  const resumeIfModest = () => {
    if (!inFlight.isModest()) return
    if (budget.isSpent()) budget.whenModest(resumeIfModest)
    else resumeIfPaused()
  }
  return {
    partition,
    signal: AbortSignal.any([ended.signal, stopping]),
    isOwned,
    take: (offset, chat) => {
      const isNew = offsets.take(offset)
      if (isNew) inFlight.add(chat)
      if (!inFlight.isTooMuch() && !budget.isSpent()) return isNew
      resume ??= owned.pause()
      if (budget.isSpent()) budget.whenModest(resumeIfModest)
      return isNew
    },
    finish: (offset, chat) => {
      const upTo = offsets.finish(offset)
      inFlight.remove(chat)
      if (!isOwned()) return
      if (upTo !== undefined) owned.done(upTo)
      resumeIfModest()
    },
    end: () => {
      ended.abort()
      resumeIfPaused()
    },
  }
}
