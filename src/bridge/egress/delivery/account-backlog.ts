import type { MemoryShares } from '../../shared/memory-shares.ts'
import { usualWork, workInProgress } from '../../shared/work-in-progress.ts'

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

/** The deferred commands of a chat. */
type Chat = { readonly name: string; readonly deferred: Deferred[] }

export const accountBacklog = (account: string, memory: MemoryShares, limits = usualWork): AccountBacklog => {
  const inProgress = workInProgress(limits)
  const chats = new Map<string, Chat>()
  /** The chats with a deferred command that may begin as far as the chat is concerned. */
  const ready = new Set<Chat>()
  let deferred = 0
  /** More commands wait than may begin. Until they have begun, newer commands of all chats wait behind them. */
  let isFull = false

  /** How many deferred commands of a chat may begin, as far as the chat is concerned. */
  const readyOf = (chat: Chat) => Math.min(inProgress.roomOf(chat.name), chat.deferred.length)
  const hasRoomFor = (bytes: number) => inProgress.room() > 0 && memory.hasRoomFor(account, bytes)
  const start = (chat: string, bytes: number) => {
    inProgress.begin(chat)
    memory.take(account, bytes)
  }
  const update = (chat: Chat) => {
    if (readyOf(chat) > 0) ready.add(chat)
    else ready.delete(chat)
    if (chat.deferred.length === 0) chats.delete(chat.name)
  }
  return {
    admit: (name, bytes) => {
      if (chats.has(name) || inProgress.roomOf(name) === 0) return 'waits for its chat'
      isFull ||= !hasRoomFor(bytes)
      if (isFull) return 'waits for its account'
      start(name, bytes)
      return 'begins'
    },
    defer: (command) => {
      const chat = chats.get(command.chat) ?? { name: command.chat, deferred: [] }
      chats.set(chat.name, chat)
      // The chat's own text: that of each record would be kept with it.
      chat.deferred.push({ ...command, chat: chat.name })
      deferred += 1
      update(chat)
    },
    ended: (name, bytes) => {
      inProgress.end(name)
      memory.giveBack(account, bytes)
      const chat = chats.get(name)
      if (chat !== undefined) update(chat)
    },
    deferred: () => deferred,
    next: () => {
      const room = inProgress.room()
      const chosen: Deferred[] = []
      // One command of each chat after the other: these are close to each other in the log.
      for (let nth = 0, before = -1; chosen.length > before && chosen.length < room; nth += 1) {
        before = chosen.length
        for (const chat of ready) {
          const command = nth < readyOf(chat) ? chat.deferred[nth] : undefined
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
      const chat = chats.get(name)
      chat?.deferred.shift()
      deferred -= 1
      start(name, bytes)
      if (chat !== undefined) update(chat)
      return true
    },
  }
}
