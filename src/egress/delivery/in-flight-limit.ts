/**
 * How much of a partition is under way. A chat counts with its first replies only, so that one which is stuck, with all that
 * its bot says meanwhile behind it, does not hold up its neighbours; what is held in memory has its own bound.
 */
export type InFlightLimit = {
  readonly add: (chat: string) => void
  readonly remove: (chat: string) => void
  readonly isTooMuch: () => boolean
  /** No more than half of what is too much. */
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

/** How many bytes of commands a process holds, in all of its partitions. */
export type ByteBudget = {
  readonly take: (bytes: number) => void
  readonly giveBack: (bytes: number) => void
  readonly isSpent: () => boolean
  /** Called once, when no more than half of the budget is spent. */
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
