import type { MemoryShare } from './memory-shares.ts'

/** What is kept of a command that waits in the log until its account has room. */
export type Deferred = {
  readonly chat: string
  readonly offset: number
  /** The leader epoch in which it was appended: the log may give its offset to another record. */
  readonly epoch?: number | undefined
  /** It asks for an agent. If it is deleted before it is sent, its client needs one all the same. */
  readonly isHandOver: boolean
}

/** Whether a command may begin, or what it waits for. */
export type Admission = 'begins' | 'waits for its chat' | 'waits for its account'

/**
 * The commands of one account that this worker has read from a partition and not finished. A limited number is in
 * progress, and of each chat only the first ones: so a stuck chat delays no other chat, and a stuck account no other
 * account. The others are deferred. The commands of a chat begin in the order of the log.
 */
export type AccountBacklog = {
  /** A command that begins is in progress from now on. The caller must defer any other. */
  readonly admit: (chat: string, bytes: number) => Admission
  readonly defer: (command: Deferred) => void
  /** A command is no longer in progress. */
  readonly ended: (chat: string, bytes: number) => void
  readonly deferred: () => number
  /** The deferred commands that may begin now, in the order of the log. */
  readonly next: () => ReadonlyArray<Deferred>
  /** The first deferred command of its chat is in progress from now on. False if there is no room for it any more. */
  readonly begin: (command: Deferred, bytes: number) => boolean
}

/** How many commands may be in progress. A service gets at most 64 requests at a time, so more would not be faster. */
const usualLimits = { inProgress: 1000, ofEachChat: 20 }

type Chat = { readonly name: string; inProgress: number; readonly deferred: Deferred[] }

export const accountBacklog = (memory: MemoryShare, limits = usualLimits): AccountBacklog => {
  const chats = new Map<string, Chat>()
  /** The chats with a deferred command that may begin as far as the chat is concerned. */
  const ready = new Set<Chat>()
  let deferred = 0
  let inProgress = 0
  /** More commands wait than may begin. Until they have begun, newer commands of all chats wait behind them. */
  let isFull = false

  const chatOf = (name: string): Chat => {
    const chat = chats.get(name) ?? { name, inProgress: 0, deferred: [] }
    chats.set(name, chat)
    return chat
  }
  const roomOf = (chat: Chat) => Math.min(limits.ofEachChat - chat.inProgress, chat.deferred.length)
  const hasRoomFor = (bytes: number) => inProgress < limits.inProgress && memory.hasRoomFor(bytes)
  const start = (chat: Chat, bytes: number) => {
    inProgress += 1
    chat.inProgress += 1
    memory.take(bytes)
  }
  const note = (chat: Chat) => {
    if (roomOf(chat) > 0) ready.add(chat)
    else ready.delete(chat)
    if (chat.inProgress + chat.deferred.length === 0) chats.delete(chat.name)
  }
  return {
    admit: (name, bytes) => {
      const chat = chatOf(name)
      if (chat.deferred.length > 0 || chat.inProgress >= limits.ofEachChat) return 'waits for its chat'
      isFull ||= !hasRoomFor(bytes)
      if (isFull) return 'waits for its account'
      start(chat, bytes)
      return 'begins'
    },
    defer: (command) => {
      const chat = chatOf(command.chat)
      // The chat's own text: that of each record would be kept with it.
      chat.deferred.push({ ...command, chat: chat.name })
      deferred += 1
      note(chat)
    },
    ended: (name, bytes) => {
      const chat = chatOf(name)
      inProgress -= 1
      chat.inProgress -= 1
      memory.giveBack(bytes)
      note(chat)
    },
    deferred: () => deferred,
    next: () => {
      const room = limits.inProgress - inProgress
      const chosen: Deferred[] = []
      // One command of each chat after the other: these are close to each other in the log.
      for (let nth = 0, before = -1; chosen.length > before && chosen.length < room; nth += 1) {
        before = chosen.length
        for (const chat of ready) {
          const command = nth < roomOf(chat) ? chat.deferred[nth] : undefined
          if (command !== undefined) chosen.push(command)
          if (chosen.length >= room) break
        }
      }
      if (chosen.length < room) isFull = false
      return chosen.sort((a, b) => a.offset - b.offset)
    },
    begin: ({ chat: name }, bytes) => {
      if (!hasRoomFor(bytes)) {
        isFull = true
        return false
      }
      const chat = chatOf(name)
      chat.deferred.shift()
      deferred -= 1
      start(chat, bytes)
      note(chat)
      return true
    },
  }
}
