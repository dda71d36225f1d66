import * as E from 'fp-ts/lib/Either.js'
import { isObject } from '../../shared/json.ts'
import type { HttpResponse, HttpResult } from './post.ts'

/** A mistake of the service, or of a proxy in front of it, must not silence an account for longer. */
const maxRetryAfterMs = 300_000

/** The ms of a Retry-After header, which has seconds or an HTTP date (RFC 9110, 10.2.3): at most five minutes. */
export const retryAfterMs = (header: string | undefined, nowMs: number): number | undefined => {
  const text = header?.trim() ?? ''
  if (/^\d+$/.test(text)) return Math.min(maxRetryAfterMs, Number(text) * 1000)
  const date = /^[A-Z][a-z]{2}[\w,: -]+$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.min(maxRetryAfterMs, Math.max(0, date - nowMs))
}

/**
 * What an attempt's result means for the reply. `outage`: the whole service seems unavailable. `throttled`: the service
 * requests a slower rate for the account. `unauthorized`: the access token was refused, a new one may be accepted.
 * `code` is the error code of the service or of the network.
 */
export type Verdict = { readonly code?: string } & (
  | { readonly kind: 'delivered' | 'rejected' | 'unauthorized' }
  | {
      readonly kind: 'retry'
      readonly why: 'outage' | 'throttled' | 'error'
      readonly retryAfterMs?: number
      /** The answer is about the account, not about this reply. */
      readonly isOfAccount?: true
    }
)

const finalCodes = new Set(['invalid_client', 'unauthorized_client', 'invalid_request'])

const isNothing = (error: unknown): boolean => error === null || error === undefined || error === false || error === ''

const isEmpty = (errors: unknown): boolean => isObject(errors) && Object.keys(errors).length === 0

const codeOf = (error: unknown): string | undefined => {
  const [first] = Array.isArray(error) ? error : [error]
  const code = isObject(first) ? first.code : first
  return typeof code === 'string' && code !== '' ? code.slice(0, 64) : undefined
}

/** The forms in which services report an error in a body, also beside a status of 2xx. */
const errorOf = (body: string): { readonly code?: string } | undefined => {
  const json = E.tryCatch((): unknown => JSON.parse(body), E.toError)
  if (E.isLeft(json) || !isObject(json.right)) return undefined
  const { error, errors, result, status, ok, success } = json.right
  const found = [error, isEmpty(errors) ? undefined : errors].find((each) => !isNothing(each))
  const isMarked = result === 'error' || status === 'error' || ok === false || success === false
  if (found === undefined && !isMarked) return undefined
  const code = codeOf(found)
  return code === undefined ? {} : { code }
}

const maxWordsLength = 500

/** The beginning of a response's body, without these secrets, also where they are encoded. */
export const wordsOf = (body: string, secrets: ReadonlyArray<string>): string =>
  secrets
    .flatMap((secret) => [secret, encodeURIComponent(secret.toWellFormed()), JSON.stringify(secret).slice(1, -1)])
    .reduce((text, secret) => (secret === '' ? text : text.replaceAll(secret, '[secret]')), body)
    .slice(0, maxWordsLength)
    .toWellFormed()

/** The account's token or address is wrong at the moment, for example while a token is replaced. */
const isOfAccount = (status: number) => status === 401 || status === 403 || status === 404

const isTransient = (status: number) =>
  isOfAccount(status) || status === 408 || status === 425 || status === 429 || status >= 500

const answered = ({ status, headers, body }: HttpResponse, authorized: boolean, nowMs: number): Verdict => {
  const ok = status >= 200 && status < 300
  const error = errorOf(body)
  if (ok && error === undefined) return { kind: 'delivered' }
  const tokenRefused = error?.code === 'unauthorized_client' || (status === 401 && error?.code !== 'invalid_client')
  if (authorized && tokenRefused) return { kind: 'unauthorized', ...error }
  if (ok ? finalCodes.has(error?.code ?? '') : !isTransient(status)) return { kind: 'rejected', ...error }
  const after = retryAfterMs(headers.retryAfter, nowMs)
  return {
    kind: 'retry',
    why: status === 429 ? 'throttled' : ok ? 'error' : 'outage',
    ...error,
    ...(after !== undefined && { retryAfterMs: after }),
    ...(isOfAccount(status) && { isOfAccount: true as const }),
  }
}

/**
 * Decides on one attempt. A service may report an error in the body of a 200. `authorized`: the request had an
 * access token. `nowMs` is for a Retry-After with a date.
 */
export const classify = (result: HttpResult, authorized: boolean, nowMs: number): Verdict =>
  E.isLeft(result)
    ? { kind: 'retry', why: 'outage', code: result.left.code }
    : answered(result.right, authorized, nowMs)
