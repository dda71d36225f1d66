import { describe, type Problem } from '../../contracts/problem.ts'
import type { NotUnderstood } from './not-understood.ts'

/** An answer that says no; `code` is the protocol's (Errors) or OAuth's (RFC 6749, section 5.2). */
export type Refusal = {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

const invalid = (status: number, message: string, headers: Readonly<Record<string, string>> = {}): Refusal => ({
  status,
  code: 'invalid_request',
  message,
  headers,
})

const badRequest = (problems: ReadonlyArray<Problem>) => invalid(400, describe(problems))

export const unknownToken: Refusal = {
  status: 401,
  code: 'invalid_client',
  message: 'path: expected a token of an account',
}
export const unauthorized: Refusal = {
  status: 401,
  code: 'unauthorized_client',
  message: 'Authorization: expected an access token of the account that has not expired',
  headers: { 'WWW-Authenticate': 'Bearer' },
}
export const unknownPath = invalid(404, 'path: expected one of this interface')
export const notAllowed = (allow: string) => invalid(405, `method: expected ${allow}`, { Allow: allow })
const unknownEvent = invalid(405, 'event: expected one that this interface supports', { Allow: 'POST' })
export const tooLarge = (bytes: number) =>
  invalid(413, `body: expected at most ${bytes} bytes`, { Connection: 'close' })
export const incomplete = invalid(400, 'body: expected all of it')
export const tooManyRequests = invalid(429, 'expected fewer requests', { 'Retry-After': '1' })
export const unavailable: Refusal = {
  status: 503,
  code: 'temporarily_unavailable',
  message: 'the event could not be stored, send it again',
  headers: { 'Retry-After': '1' },
}
/** To a request whose body has not come in full: there is nothing more to be read from its connection. */
export const tooSlow = invalid(408, 'request: expected all of it sooner', { Connection: 'close' })
export const internal: Refusal = { status: 500, code: 'server_error', message: 'the request could not be processed' }

/** The answer to a body that was not understood. */
export const refusalOf = (reason: NotUnderstood): Refusal => {
  switch (reason.kind) {
    case 'media-type':
      return invalid(415, describe([reason.problem]))
    case 'invalid':
      return badRequest(reason.problems)
    case 'unknown-event':
      return unknownEvent
  }
}
