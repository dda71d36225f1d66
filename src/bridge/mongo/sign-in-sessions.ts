import type { Db } from 'mongodb'
import { rejectAfter } from './client.ts'

/** A session of the console. Its id is a hash of the cookie's value, so a reader of the database cannot use it. */
export type StoredSession = {
  readonly id: string
  readonly who: string
  /** The provider's groups. `link` for a sign-in link: every role and account, on this machine only. */
  readonly groups: ReadonlyArray<string> | 'link'
  readonly expiresAt: Date
  readonly unmasked: ReadonlyArray<{ readonly accountId: string; readonly chatId: string; readonly until: Date }>
}

/** Sessions and sign-in links of the console. Each function rejects if MongoDB does not answer in time. */
export type ConsoleSessions = {
  readonly add: (session: StoredSession) => Promise<void>
  /** Undefined if the session has expired or was revoked. */
  readonly find: (id: string, now: Date) => Promise<StoredSession | undefined>
  readonly unmask: (id: string, unmasked: StoredSession['unmasked'][number]) => Promise<void>
  readonly remove: (id: string) => Promise<void>
  readonly addLink: (hash: string, who: string, expiresAt: Date) => Promise<void>
  /** Returns whose link it is. A link works once, and before it expires. */
  readonly takeLink: (hash: string, now: Date) => Promise<string | undefined>
}

type Session = Omit<StoredSession, 'id'> & { readonly _id: string }
type Link = { readonly _id: string; readonly who: string; readonly expiresAt: Date }

const sessions = 'console_sessions'
const links = 'console_links'
const stepMs = 3_000
/** How many unmasked chats a session has at most: the newest. */
const maxUnmasked = 200

/** MongoDB deletes expired documents within about a minute. */
export const ensureConsoleIndexes = async (db: Db): Promise<void> => {
  for (const name of [sessions, links])
    await db.collection(name).createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0, name: 'expired' })
}

/** Reads go to the primary, so a revoked session ends at once. */
export const consoleSessionsIn = (db: Db): ConsoleSessions => {
  const ofSessions = db.collection<Session>(sessions)
  const ofLinks = db.collection<Link>(links)
  return {
    add: async ({ id, ...session }) => {
      await rejectAfter(stepMs, ofSessions.insertOne({ _id: id, ...session }))
    },
    find: async (id, now) => {
      const found = await rejectAfter(
        stepMs,
        ofSessions.findOne({ _id: id, expiresAt: { $gt: now } }, { maxTimeMS: stepMs }),
      )
      if (found === null) return undefined
      const { _id, ...session } = found
      return { ...session, id: _id }
    },
    unmask: async (id, unmasked) => {
      const update = { $push: { unmasked: { $each: [unmasked], $slice: -maxUnmasked } } }
      await rejectAfter(stepMs, ofSessions.updateOne({ _id: id }, update))
    },
    remove: async (id) => {
      await rejectAfter(stepMs, ofSessions.deleteOne({ _id: id }))
    },
    addLink: async (hash, who, expiresAt) => {
      await rejectAfter(stepMs, ofLinks.insertOne({ _id: hash, who, expiresAt }))
    },
    takeLink: async (hash, now) => {
      const taken = ofLinks.findOneAndDelete({ _id: hash, expiresAt: { $gt: now } }, { maxTimeMS: stepMs })
      return (await rejectAfter(stepMs, taken))?.who
    },
  }
}
