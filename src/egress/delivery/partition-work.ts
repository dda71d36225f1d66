import type { OwnedPartition } from '../../domain/ports.ts'

/** Tracks up to which offset a partition's commands are finished, when they finish in any order. */
export type OffsetTracker = {
  /** False for an offset that was taken before. */
  readonly take: (offset: number) => boolean
  /** The offset up to which everything is finished, if this call has moved it. */
  readonly finish: (offset: number) => number | undefined
}

/** Offsets are taken in rising order. `finish` never returns an unfinished offset or one after it. */
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

/**
 * Limits the unfinished commands of a partition. Only the first ones of a chat count. So a stuck chat with many waiting
 * replies does not block the other chats of the partition. A second limit bounds the memory.
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

/** How many bytes of commands a process holds, over all its partitions. */
export type ByteBudget = {
  readonly take: (bytes: number) => void
  readonly giveBack: (bytes: number) => void
  readonly isSpent: () => boolean
  /** Calls `resume` once, when at most half of the budget is used. */
  readonly whenModest: (resume: () => void) => void
}

const bytesAtMost = 64 * 1024 * 1024

export const byteBudget = (atMost = bytesAtMost): ByteBudget => {
  const waiting = new Set<() => void>()
  let spent = 0
  return {
    take: (bytes) => {
      spent += bytes
    },
    giveBack: (bytes) => {
      spent -= bytes
      if (spent > atMost / 2) return
      const all = [...waiting]
      waiting.clear()
      for (const resume of all) resume()
    },
    isSpent: () => spent > atMost,
    whenModest: (resume) => waiting.add(resume),
  }
}

/** The commands that this worker reads from a partition of bot-replies while it owns the partition. */
export type PartitionWork = {
  readonly partition: number
  /** Aborts when the partition is lost or the worker stops. */
  readonly signal: AbortSignal
  readonly isOwned: () => boolean
  /** False for an offset that was taken before. Pauses the partition while too much is in progress. */
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
