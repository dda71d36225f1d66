/** One queue for each chat: work of one chat runs in its order and one at a time, chats run side by side. */
export type ChatQueues = {
  /** What the work rejects with is dropped. */
  readonly add: (chat: string, work: () => Promise<void>) => void
  readonly size: () => number
  readonly idle: () => Promise<void>
}

export const chatQueues = (): ChatQueues => {
  const last = new Map<string, Promise<void>>()
  return {
    add: (chat, work) => {
      const forget = () => {
        if (last.get(chat) === done) last.delete(chat)
      }
      const done: Promise<void> = (last.get(chat) ?? Promise.resolve()).then(work).then(forget, forget)
      last.set(chat, done)
    },
    size: () => last.size,
    idle: async () => {
      while (last.size > 0) await Promise.all(last.values())
    },
  }
}
