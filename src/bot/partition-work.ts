import type { OwnedPartition } from '../bridge/domain/log/consumer.ts'
import { offsetTracker } from '../bridge/shared/offset-tracker.ts'

/**
 * Limits the unfinished events of a partition. Only the first ones of a chat count. So a slow chat with many waiting
 * events does not block the other chats of the partition. A second limit bounds the memory.
 */
export type InFlightLimit = {
  readonly add: (chat: string) => void
  readonly remove: (chat: string) => void
  readonly isTooMuch: () => boolean
  /** True at less than half of the limits. */
  readonly isModest: () => boolean
}

const countedAtMost = 1000
const ofEachChat = 20
const heldAtMost = 10_000

export const inFlightLimit = (): InFlightLimit => {
  const chats = new Map<string, number>()
  let counted = 0
  let held = 0
  return {
    add: (chat) => {
      const before = chats.get(chat) ?? 0
      chats.set(chat, before + 1)
      held += 1
      if (before < ofEachChat) counted += 1
    },
    remove: (chat) => {
      const left = (chats.get(chat) ?? 0) - 1
      if (left > 0) chats.set(chat, left)
      else chats.delete(chat)
      held -= 1
      if (left < ofEachChat) counted -= 1
    },
    isTooMuch: () => counted > countedAtMost || held > heldAtMost,
    isModest: () => counted < countedAtMost / 2 && held < heldAtMost / 2,
  }
}

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
  const inFlight = inFlightLimit()
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
      if (isNew) inFlight.add(chat)
      if (inFlight.isTooMuch()) resume ??= owned.pause()
      return isNew
    },
    finish: (offset, chat) => {
      const upTo = offsets.finish(offset)
      inFlight.remove(chat)
      if (!isOwned()) return
      if (upTo !== undefined) owned.done(upTo)
      if (inFlight.isModest()) resumeIfPaused()
    },
    end: () => {
      hasEnded = true
      resumeIfPaused()
    },
  }
}
