/** Memory that several owners share: accounts, addresses or persons. */
export type MemoryShares = {
  /** Whether the owner may have so many bytes more. */
  readonly hasRoomFor: (owner: string, bytes: number) => boolean
  readonly take: (owner: string, bytes: number) => void
  readonly giveBack: (owner: string, bytes: number) => void
}

/** Whether an owner of `own` bytes may have `bytes` more while so many are `free`. */
export type ShareRule = (own: number, free: number, bytes: number) => boolean

export const memoryShares = (maxBytes: number, fits: ShareRule): MemoryShares => {
  const used = new Map<string, number>()
  let total = 0
  const change = (owner: string, bytes: number) => {
    const now = (used.get(owner) ?? 0) + bytes
    total += bytes
    if (now === 0) used.delete(owner)
    else used.set(owner, now)
  }
  return {
    hasRoomFor: (owner, bytes) => fits(used.get(owner) ?? 0, maxBytes - total, bytes),
    take: change,
    giveBack: (owner, bytes) => change(owner, -bytes),
  }
}
