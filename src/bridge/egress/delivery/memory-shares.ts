/** The memory for the commands of one account that are in progress. */
export type MemoryShare = {
  readonly hasRoomFor: (bytes: number) => boolean
  readonly take: (bytes: number) => void
  readonly giveBack: (bytes: number) => void
}

const usualMaxBytes = 64 * 1024 * 1024

/**
 * Shares the memory for commands in progress, over all partitions of a process. An account may use as much as nobody
 * uses, and always enough for one command. So the first account with very many commands gets half, the next one a
 * third, and there is always room for an account that has few.
 */
export const memoryShares = (maxBytes = usualMaxBytes): ((account: string) => MemoryShare) => {
  const used = new Map<string, number>()
  let total = 0
  const change = (account: string, bytes: number) => {
    const now = (used.get(account) ?? 0) + bytes
    total += bytes
    if (now === 0) used.delete(account)
    else used.set(account, now)
  }
  return (account) => ({
    hasRoomFor: (bytes) => {
      const own = used.get(account) ?? 0
      return own === 0 || own + bytes <= maxBytes - total
    },
    take: (bytes) => change(account, bytes),
    giveBack: (bytes) => change(account, -bytes),
  })
}
