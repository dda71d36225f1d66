import type { OwnedPartition } from '../bridge/domain/log/consumer.ts'
import { offsetTracker } from '../bridge/shared/offset-tracker.ts'
import { workInProgress } from '../bridge/shared/work-in-progress.ts'

/** The events that this bot reads from a partition while it owns the partition. */
export type PartitionWork = {
  readonly isOwned: () => boolean
  /** False for an offset that was taken before. Pauses the partition while too much is in progress. */
  readonly take: (offset: number, chat: string) => boolean
  readonly finish: (offset: number, chat: string) => void
  readonly end: () => void
}

export const partitionWork = (owned: OwnedPartition): PartitionWork => {
  const offsets = offsetTracker()
  const inProgress = workInProgress()
  let hasEnded = false
  let resume: (() => void) | undefined

  const isOwned = () => !hasEnded && owned.isCurrent()
  const resumeIfPaused = () => {
    resume?.()
    resume = undefined
  }
  return {
    isOwned,
    take: (offset, chat) => {
      const isNew = offsets.take(offset)
      if (isNew) inProgress.begin(chat)
      if (inProgress.isTooMuch()) resume ??= owned.pause()
      return isNew
    },
    finish: (offset, chat) => {
      const upTo = offsets.finish(offset)
      inProgress.end(chat)
      if (!isOwned()) return
      if (upTo !== undefined) owned.done(upTo)
      if (inProgress.isLessThanHalf()) resumeIfPaused()
    },
    end: () => {
      hasEnded = true
      resumeIfPaused()
    },
  }
}
