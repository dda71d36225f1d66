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

const known = <A>(asked: Promise<A>): Known<A> =>
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
  readonly end: (ctx: Ctx) => Known<void>
}

export const sessionsWith = ({ store, keys, grants, basePath, clock }: SessionDeps): Sessions => {
  const sent = (ctx: Ctx): string | undefined => ctx.cookies.get(name)
  const remove = async (ctx: Ctx) => {
    const value = sent(ctx)
    if (value !== undefined) await store.remove(keys.storedId(value))
  }
  const sessionOf = (value: string, { id, who, groups, expiresAt, unmasked }: StoredSession): Session => ({
    who,
    grants: grantsOf(groups, grants),
    csrf: keys.csrf(value),
    expiresAt,
    unmasked: unmasked.filter(({ until }) => until > clock()),
    unmask: (chat) => store.unmask(id, chat),
  })
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
      // A session that began with a sign-in link works only on this machine.
      const isThere = stored !== undefined && (stored.groups !== 'link' || isLocal)
      return E.right(isThere ? sessionOf(value, stored) : undefined)
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
