import * as E from 'fp-ts/lib/Either.js'
import { isObject } from '../../bridge/shared/json.ts'
import type { ServiceAccount } from './account.ts'
import type { Attempt, Post } from './post.ts'

type Held = { readonly token: string; readonly renewAt: number; readonly expiresAt: number }

const minute = 60_000

/** A token is renewed a tenth of its lifetime before it expires, and at most a minute before. */
const heldOf = (answer: Attempt): E.Either<string, Held> => {
  if (answer.kind === 'unanswered') return E.left(`no access token: ${answer.reason}`)
  const { status, body } = answer
  if (status !== 200 || !isObject(body) || typeof body.access_token !== 'string' || typeof body.expires_in !== 'number')
    return E.left(`no access token: HTTP ${status}`)
  const life = body.expires_in * 1000
  const expiresAt = answer.at + life
  return E.right({ token: body.access_token, expiresAt, renewAt: expiresAt - Math.min(minute, life / 10) })
}

/**
 * An account's access token, from the client-credentials exchange (RFC 6749, section 4.4) with the bridge. It is
 * requested when it is first needed, and renewed before it expires and after `forget`. Only one exchange runs at a
 * time.
 */
export const createAccessToken = (account: () => ServiceAccount | undefined, post: Post, now: () => number) => {
  const given = new Map<string, Held>()
  let current: Held | undefined
  let underWay: Promise<E.Either<string, string>> | undefined

  const exchange = async (): Promise<E.Either<string, string>> => {
    const { authorization, bridge } = account() ?? {}
    if (authorization === undefined || bridge?.tokenUrl === undefined)
      return E.left('no access token: no address for it')
    const { clientId, secretKey } = authorization
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: secretKey,
    })
    const held = heldOf(
      await post(bridge.tokenUrl, String(form), { 'content-type': 'application/x-www-form-urlencoded' }),
    )
    if (E.isLeft(held)) return held
    current = held.right
    given.set(current.token, current)
    return E.right(current.token)
  }

  const get = async () => {
    if (current !== undefined && now() < current.renewAt) return E.right(current.token)
    underWay ??= exchange().finally(() => {
      underWay = undefined
    })
    return underWay
  }
  const forget = () => {
    current = undefined
  }
  const holds = (token: string) => now() < (given.get(token)?.expiresAt ?? 0)

  return {
    get,
    forget,
    /**
     * Whether a bot's token is the account's. To the service a token is opaque. It knows the unexpired tokens that it
     * was given. For another token it makes an exchange, to find out whether the bridge now gives that one.
     */
    accepts: async (token: string) => {
      if (holds(token)) return true
      forget()
      await get()
      return holds(token)
    },
  }
}
export type AccessToken = ReturnType<typeof createAccessToken>
