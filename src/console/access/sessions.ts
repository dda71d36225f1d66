import * as E from 'fp-ts/lib/Either.js'
import type { GrantEntry } from '../../bridge/domain/accounts.ts'
import type { Ctx } from '../../bridge/http/answer.ts'
import type { ConsoleSessions, StoredSession } from '../../bridge/mongo/sign-in-sessions.ts'
import type { Session } from '../page.ts'
import { grantsOf } from './grants.ts'
import type { ConsoleKeys } from './keys.ts'
import { random } from './keys.ts'

export type SessionDeps = {
  readonly store: ConsoleSessions
  readonly keys: ConsoleKeys
  readonly grants: ReadonlyArray<GrantEntry>
  readonly basePath: string
  readonly clock: () => Date
}

const name = 'livechat_console'
const lastsMs = 8 * 60 * 60 * 1000

/** Left if MongoDB does not respond, so no session can be read or changed. */
type Known<A> = Promise<E.Either<'unavailable', A>>

export const known = <A>(asked: Promise<A>): Known<A> =>
  asked.then(
    (answer) => E.right(answer),
    () => E.left('unavailable'),
  )

/** A cookie that no script can read. Requests from other sites have it only if a person follows a link here. */
export const cookie = (name: string, value: string, path: string, lastsMs: number): string =>
  `${name}=${value}; Path=${path}; Max-Age=${lastsMs / 1000}; HttpOnly; Secure; SameSite=Lax`

export type Sessions = {
  /** Starts a session with a new id, and ends the earlier session of the browser. */
  readonly start: (ctx: Ctx, who: string, groups: StoredSession['groups']) => Known<void>
  /** The session of a request, read from MongoDB each time. Undefined if there is none. */
  readonly read: (ctx: Ctx, isLocal: boolean) => Known<Session | undefined>
  /**
   * The session of a request as it was last read, for what needs no MongoDB. Undefined if this process has not read it,
   * has ended it, or it has expired. It shows no personal data.
   */
  readonly lately: (ctx: Ctx, isLocal: boolean) => Session | undefined
  readonly end: (ctx: Ctx) => Known<void>
}

/** More sessions than people use at a time. */
const maxKept = 1_000

export const sessionsWith = ({ store, keys, grants, basePath, clock }: SessionDeps): Sessions => {
  const kept = new Map<string, StoredSession>()
  const keep = (id: string, found: StoredSession | undefined) => {
    kept.delete(id)
    if (found !== undefined) kept.set(id, found)
    const [oldest] = kept.keys()
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
  }
  const sent = (ctx: Ctx): string | undefined => ctx.cookies.get(name)
  const remove = async (ctx: Ctx) => {
    const value = sent(ctx)
    if (value === undefined) return
    keep(keys.storedId(value), undefined)
    await store.remove(keys.storedId(value))
  }
  const sessionOf = (value: string, { id, who, groups, expiresAt, unmasked }: StoredSession): Session => ({
    who,
    grants: grantsOf(groups, grants),
    csrf: keys.csrf(value),
    expiresAt,
    unmasked: unmasked.filter(({ until }) => until > clock()),
    unmask: (chat) => store.unmask(id, chat),
  })
  // A session that began with a sign-in link works only on this machine.
  const worksHere = ({ groups }: StoredSession, isLocal: boolean) => groups !== 'link' || isLocal
  return {
    start: (ctx, who, groups) =>
      known(
        (async () => {
          await remove(ctx)
          const value = random()
          const expiresAt = new Date(clock().getTime() + lastsMs)
          await store.add({ id: keys.storedId(value), who, groups, expiresAt, unmasked: [] })
          ctx.append('Set-Cookie', cookie(name, value, basePath, lastsMs))
        })(),
      ),
    read: async (ctx, isLocal) => {
      const value = sent(ctx)
      if (value === undefined) return E.right(undefined)
      const found = await known(store.find(keys.storedId(value), clock()))
      if (E.isLeft(found)) return found
      const stored = found.right
      keep(keys.storedId(value), stored)
      return E.right(stored !== undefined && worksHere(stored, isLocal) ? sessionOf(value, stored) : undefined)
    },
    lately: (ctx, isLocal) => {
      const value = sent(ctx)
      const last = value === undefined ? undefined : kept.get(keys.storedId(value))
      if (value === undefined || last === undefined || last.expiresAt <= clock() || !worksHere(last, isLocal))
        return undefined
      return sessionOf(value, { ...last, unmasked: [] })
    },
    end: (ctx) =>
      known(
        (async () => {
          await remove(ctx)
          ctx.append('Set-Cookie', cookie(name, '', basePath, 0))
        })(),
      ),
  }
}
