/**
 * Counts unfinished work by key, for example by chat. Only the first pieces of a key count, so a slow key with much
 * waiting work leaves room for the other keys.
 */
export type WorkInProgress = {
  readonly begin: (key: string) => void
  readonly end: (key: string) => void
  /** How many more pieces of this key count; 0 if it has more than that. */
  readonly roomOf: (key: string) => number
  /** How many more pieces may be in progress. */
  readonly room: () => number
  readonly isTooMuch: () => boolean
  /** Less than half of the limits: who was paused because it was too much may go on. */
  readonly isLessThanHalf: () => boolean
}

/** `held` bounds the memory: it limits all pieces, also those that do not count. */
export type WorkLimits = { readonly inAll: number; readonly ofEach: number; readonly held: number }

/** Enough to keep the 64 requests busy that a service gets of an account at a time, and a bot's turns. */
export const usualWork: WorkLimits = { inAll: 1000, ofEach: 20, held: 10_000 }

export const workInProgress = ({ inAll, ofEach, held }: WorkLimits = usualWork): WorkInProgress => {
  const byKey = new Map<string, number>()
  let counted = 0
  let size = 0
  return {
    begin: (key) => {
      const before = byKey.get(key) ?? 0
      byKey.set(key, before + 1)
      size += 1
      if (before < ofEach) counted += 1
    },
    end: (key) => {
      const left = (byKey.get(key) ?? 0) - 1
      if (left > 0) byKey.set(key, left)
      else byKey.delete(key)
      size -= 1
      if (left < ofEach) counted -= 1
    },
    roomOf: (key) => Math.max(0, ofEach - (byKey.get(key) ?? 0)),
    room: () => inAll - counted,
    isTooMuch: () => counted > inAll || size > held,
    isLessThanHalf: () => counted < inAll / 2 && size < held / 2,
  }
}
