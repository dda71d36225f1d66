import type { Db } from 'mongodb'
import { within } from './client.ts'

/** A session of the console. Its id is a hash of what its cookie holds: who reads the database cannot use it. */
export type StoredSession = {
  readonly id: string
  readonly who: string
  /** What the provider says; `link` for a sign-in link, which is for every role and account, on this machine only. */
  readonly groups: ReadonlyArray<string> | 'link'
  readonly expiresAt: Date
  readonly unmasked: ReadonlyArray<{ readonly accountId: string; readonly chatId: string; readonly until: Date }>
}

/** Sessions and sign-in links of the console. Each function rejects where MongoDB does not answer in time. */
export type ConsoleSessions = {
  readonly add: (session: StoredSession) => Promise<void>
  /** Undefined where it has ended, or was revoked. */
  readonly find: (id: string, now: Date) => Promise<StoredSession | undefined>
  readonly unmask: (id: string, unmasked: StoredSession['unmasked'][number]) => Promise<void>
  readonly remove: (id: string) => Promise<void>
  readonly addLink: (hash: string, who: string, expiresAt: Date) => Promise<void>
  /** Whose link it is: once, and before it expires. */
  readonly takeLink: (hash: string, now: Date) => Promise<string | undefined>
}

type Session = Omit<StoredSession, 'id'> & { readonly _id: string }
type Link = { readonly _id: string; readonly who: string; readonly expiresAt: Date }

const sessions = 'console_sessions'
const links = 'console_links'
const stepMs = 3_000
/** Chats that a session remembers as unmasked: the newest. */
const mostUnmasked = 200

/** MongoDB deletes what has expired, within a minute or so. */
export const ensureConsoleIndexes = async (db: Db): Promise<void> => {
  for (const name of [sessions, links])
    await db.collection(name).createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0, name: 'expired' })
}

/** The primary is read: a session that was revoked ends at once. */
export const consoleSessionsIn = (db: Db): ConsoleSessions => {
  const ofSessions = db.collection<Session>(sessions)
  const ofLinks = db.collection<Link>(links)
  return {
    add: async ({ id, ...session }) => {
      await within(stepMs, ofSessions.insertOne({ _id: id, ...session }))
    },
    find: async (id, now) => {
      const found = await within(
        stepMs,
        ofSessions.findOne({ _id: id, expiresAt: { $gt: now } }, { maxTimeMS: stepMs }),
      )
      if (found === null) return undefined
      const { _id, ...session } = found
      return { ...session, id: _id }
    },
    unmask: async (id, unmasked) => {
      const update = { $push: { unmasked: { $each: [unmasked], $slice: -mostUnmasked } } }
      await within(stepMs, ofSessions.updateOne({ _id: id }, update))
    },
    remove: async (id) => {
      await within(stepMs, ofSessions.deleteOne({ _id: id }))
    },
    addLink: async (hash, who, expiresAt) => {
      await within(stepMs, ofLinks.insertOne({ _id: hash, who, expiresAt }))
    },
    takeLink: async (hash, now) => {
      const taken = ofLinks.findOneAndDelete({ _id: hash, expiresAt: { $gt: now } }, { maxTimeMS: stepMs })
      return (await within(stepMs, taken))?.who
    },
  }
}
