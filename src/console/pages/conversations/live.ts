import { createHash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { Count } from '../../../../contracts/primitives.ts'
import type { Refusal } from '../../../bridge/http/answer.ts'
import type { Pipeline } from '../../../bridge/mongo/source.ts'
import type { Sleep } from '../../../bridge/shared/time.ts'
import type { Backend, ReadSource } from '../../backend.ts'
import { part } from '../../page.ts'

export type Chat = { readonly accountId: string; readonly chatId: string }

/** The `_id` of a chat's documents in `chats` and `conversations`. */
export const chatKey = ({ accountId, chatId }: Chat): string => `${accountId}/${chatId}`

const ofChats = (chats: ReadonlyArray<Chat>) => ({
  $or: [...Map.groupBy(chats, ({ accountId }) => accountId)].map(([accountId, own]) => ({
    accountId,
    chatId: { $in: own.map(({ chatId }) => chatId) },
  })),
})

/** The sum of a document's offsets. It changes with each record that the document processes. */
const offsets = { $sum: { $map: { input: { $objectToArray: '$applied' }, in: '$$this.v' } } }
const differences = { $size: { $ifNull: ['$audit.differences', []] } }

const counted = {
  chats: { applied: { $sum: offsets } },
  conversations: { applied: { $sum: offsets } },
  sessions: {
    applied: { $sum: offsets },
    differences: { $sum: differences },
    due: { $sum: { $cond: [{ $eq: ['$audit.state', 'due'] }, 1, 0] } },
  },
  deliveries: { applied: { $sum: offsets } },
  // MongoDB reads only the index, because a chat may have many events.
  timeline: { newest: { $max: '$time' } },
} as const

/** The counts and sums of a chat's documents in a view. They change when one of the documents changes. */
const Sums = t.strict({ _id: t.strict({ accountId: t.string, chatId: t.string }), count: Count })
type Sums = t.TypeOf<typeof Sums>

export const sumsOf = (chats: ReadonlyArray<Chat>): ReadonlyArray<Pipeline<Sums>> =>
  (['chats', 'conversations', 'sessions', 'deliveries', 'timeline'] as const).map((view) => {
    const isNamed = view === 'chats' || view === 'conversations'
    const $match = isNamed ? { _id: { $in: chats.map(chatKey) } } : ofChats(chats)
    const _id = { accountId: '$accountId', chatId: '$chatId' }
    return { view, row: Sums, stages: [{ $match }, { $group: { _id, count: { $sum: 1 }, ...counted[view] } }] }
  })

type Versions = (chats: ReadonlyArray<Chat>) => Promise<E.Either<Refusal, ReadonlyMap<string, string>>>

/**
 * By `chatKey`, a version text of each chat's story. It changes when any part of the story changes. It is a hash of
 * counts and sums that MongoDB computes, so no documents are loaded.
 */
export const versionsWith =
  (read: ReadSource): Versions =>
  async (chats) => {
    if (chats.length === 0) return E.right(new Map())
    const found = E.sequenceArray(await Promise.all(sumsOf(chats).map((source) => read(source))))
    if (E.isLeft(found)) return found
    const groups = found.right.map((rows) => new Map(rows.map(({ _id, ...sums }) => [chatKey(_id), sums])))
    const versionOf = (name: string) =>
      createHash('sha256')
        .update(JSON.stringify(groups.map((group) => group.get(name) ?? null)))
        .digest('base64url')
        .slice(0, 16)
    return E.right(new Map(chats.map(chatKey).map((name) => [name, versionOf(name)])))
  }

type Listener = (version: string) => void
type Watched = { readonly chat: Chat; readonly listeners: Set<Listener>; version: string | undefined }

const lookEveryMs = 1_000

/**
 * Calls listeners when the story of a chat has changed. It sends one query per second for all watched chats, and none
 * while no chat is watched. A change stream would send every write of the database to this process. While MongoDB is
 * unavailable, no listener is called.
 */
const storyWatch = (readVersions: Versions, sleep: Sleep) => {
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
const heartbeatMs = 15_000

/**
 * Server-sent events: the current version of the story and each later one. A comment every 15 s detects clients that
 * have disconnected. The events contain only the version. The page then requests the story, with all checks.
 */
async function* events(
  watch: ReturnType<typeof storyWatch>['watch'],
  sleep: Sleep,
  chat: Chat,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let version: string | undefined
  let woken = new AbortController()
  const leave = watch(chat, (changed) => {
    version = changed
    woken.abort()
  })
  try {
    yield 'retry: 2000\n\n'
    while (!signal.aborted) {
      if (version === undefined) await sleep(heartbeatMs, AbortSignal.any([signal, woken.signal]))
      if (signal.aborted) return
      woken = new AbortController()
      const data = version
      version = undefined
      yield data === undefined ? ': still there\n\n' : `data: ${JSON.stringify({ version: data })}\n\n`
    }
  } finally {
    leave()
  }
}

/** The API (../../api.ts) limits the number of streams. */
export const live = part({
  routes: { 'GET /api/accounts/:account/conversations/:chat/live': { answer: 'text/event-stream' } },
  handlers: ({ read, sleep }: Pick<Backend, 'read' | 'sleep'>) => {
    const { watch } = storyWatch(versionsWith(read), sleep)
    return {
      'GET /api/accounts/:account/conversations/:chat/live': async ({ accountId, chatId, signal }) =>
        E.right({
          status: 200,
          stream: events(watch, sleep, { accountId, chatId }, signal),
          type: 'text/event-stream',
        }),
    }
  },
})
