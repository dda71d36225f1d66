import type { OwnedPartition } from '../../domain/ports.ts'
import { type ByteBudget, inFlightLimit } from './in-flight-limit.ts'

/** How far a partition's commands are finished when they finish in any order. */
export type OffsetTracker = {
  /** False for an offset that was taken before. */
  readonly take: (offset: number) => boolean
  /** The offset up to which everything is finished, where this has moved it. */
  readonly finish: (offset: number) => number | undefined
}

/** Offsets are taken in rising order; the answer of `finish` never reaches an offset that is taken and unfinished. */
export const offsetTracker = (): OffsetTracker => {
  const unfinished = new Set<number>()
  let newest = -1
  let mark = -1
  return {
    take: (offset) => {
      if (offset <= newest) return false
      if (newest === -1) mark = offset - 1
      newest = offset
      unfinished.add(offset)
      return true
    },
    finish: (offset) => {
      if (!unfinished.delete(offset)) return undefined
      const [oldest] = unfinished
      const upTo = oldest === undefined ? newest : oldest - 1
      if (upTo <= mark) return undefined
      mark = upTo
      return upTo
    },
  }
}

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
