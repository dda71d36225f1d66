import * as E from 'fp-ts/lib/Either.js'
import type { AccessToken } from './access-token.ts'
import type { ServiceAccount } from './account.ts'
import type { Attempt, Post } from './post.ts'

const json = 'application/json'

/** The result of an event: every attempt, and whether the last one got a regular response. */
export type Exchange = { readonly id: string; readonly attempts: ReadonlyArray<Attempt>; readonly regular: boolean }

/** The bridge has taken the event. */
export const isRegular = (attempt: Attempt) => attempt.kind === 'answered' && attempt.status === 200

/** Sends a webhook once, because no retries are documented (field notes). */
export const sendWebhook = async (
  post: Post,
  account: ServiceAccount,
  payload: object,
  contentType = json,
): Promise<Attempt> => {
  const url = account.bridge?.webhooksUrl
  if (url === undefined) throw new Error(`account ${account.id} has no address for webhooks`)
  return post(url, JSON.stringify(payload), { 'content-type': contentType })
}

type Deps = {
  readonly post: Post
  readonly token: AccessToken
  readonly now: () => number
  readonly attempts: number
}

/**
 * Sends an event to the bot until it gets a regular response, at most `attempts` times, one after another (protocol,
 * Limits). If the account has authorization, an access token is sent too (Authentication). After a 401 the next attempt
 * uses a new one.
 */
export const sendBotEvent = async (
  { post, token, now, attempts }: Deps,
  { id: accountId, authorization, bridge }: ServiceAccount,
  event: { readonly id: string },
  contentType = json,
): Promise<Exchange> => {
  if (bridge === undefined) throw new Error(`account ${accountId} has no address for bot events`)
  const once = async (): Promise<Attempt> => {
    const access = authorization === undefined ? E.right(undefined) : await token.get()
    if (E.isLeft(access)) return { at: now(), tookMs: 0, kind: 'unanswered', reason: access.left }
    const headers = { 'content-type': contentType, ...(access.right !== undefined && { authorization: access.right }) }
    return post(bridge.botUrl, JSON.stringify(event), headers)
  }
  const made: Attempt[] = []
  while (made.length < attempts) {
    const attempt = await once()
    made.push(attempt)
    if (isRegular(attempt)) return { id: event.id, attempts: made, regular: true }
    if (attempt.kind === 'answered' && attempt.status === 401) token.forget()
  }
  return { id: event.id, attempts: made, regular: false }
}
