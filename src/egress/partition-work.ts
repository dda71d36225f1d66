import type { OwnedPartition } from '../domain/ports.ts'
import { load } from './load.ts'
import { lowWater } from './low-water.ts'

/** The commands that were taken from a partition of bot-replies while it was this worker's, in one stretch. */
export type PartitionWork = {
  readonly partition: number
  /** Aborts when the partition is lost or the worker stops. */
  readonly signal: AbortSignal
  readonly isOwned: () => boolean
  /** False for an offset that was taken before. Where that is too much, the partition is paused until less is under way. */
  readonly take: (offset: number, chat: string) => boolean
  readonly finish: (offset: number, chat: string) => void
  readonly end: () => void
}

export const partitionWork = (partition: number, owned: OwnedPartition, stopping: AbortSignal): PartitionWork => {
  const ended = new AbortController()
  const water = lowWater()
  const underWay = load()
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
    take: (offset, chat) => {
      const isNew = water.take(offset)
      if (isNew) underWay.add(chat)
      if (underWay.isTooMuch()) resume ??= owned.pause()
      return isNew
    },
    finish: (offset, chat) => {
      const upTo = water.finish(offset)
      underWay.remove(chat)
      if (!isOwned()) return
      if (upTo !== undefined) owned.done(upTo)
      if (underWay.isModest()) resumeIfPaused()
    },
    end: () => {
      ended.abort()
      resumeIfPaused()
    },
  }
}
