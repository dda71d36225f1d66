import * as E from 'fp-ts/lib/Either.js'
import { type Chat, chatKey, type versionsIn } from '../bridge/mongo/console-story.ts'
import type { Sleep } from '../bridge/shared/time.ts'

type StoryWatchDeps = {
  readonly readVersions: ReturnType<typeof versionsIn>
  readonly sleep: Sleep
}

type Listener = (version: string) => void
type Watched = { readonly chat: Chat; readonly listeners: Set<Listener>; version: string | undefined }

const lookEveryMs = 1_000

/**
 * Calls listeners when the story of a chat has changed. It sends one query per second for all watched chats, and none
 * while no chat is watched. A change stream would send every write of the database to this process. While MongoDB is
 * unavailable, no listener is called.
 */
export const storyWatch = ({ readVersions, sleep }: StoryWatchDeps) => {
  const watched = new Map<string, Watched>()
  let running = false

  const look = async () => {
    const versions = await readVersions([...watched.values()].map(({ chat }) => chat)).catch(() => undefined)
    if (versions === undefined || E.isLeft(versions)) return
    for (const [key, each] of watched) {
      const version = versions.right.get(key)
      if (version === undefined || version === each.version) continue
      each.version = version
      for (const listener of each.listeners) listener(version)
    }
  }
  const run = async () => {
    running = true
    for (; watched.size > 0; await sleep(lookEveryMs)) await look()
    running = false
  }
  /** Calls the listener with the current version and each later one. The returned function ends this. */
  const watch = (chat: Chat, listener: Listener): (() => void) => {
    const key = chatKey(chat)
    const one = watched.get(key) ?? { chat, listeners: new Set(), version: undefined }
    watched.set(key, one)
    one.listeners.add(listener)
    if (one.version !== undefined) listener(one.version)
    if (!running) run()
    return () => {
      one.listeners.delete(listener)
      if (one.listeners.size === 0 && watched.get(key) === one) watched.delete(key)
    }
  }
  return { watch }
}
export type StoryWatch = ReturnType<typeof storyWatch>
