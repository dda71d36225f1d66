import { describe } from '../../../contracts/problem.ts'
import type { NotUnderstood } from '../domain/decode-request.ts'
import { invalid, type Refusal } from '../http/answer.ts'

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
const unknownEvent = invalid(405, 'event: expected one that this interface supports', { Allow: 'POST' })
export const tooLarge = (bytes: number): Refusal =>
  invalid(413, `body: expected at most ${bytes} bytes`, { Connection: 'close' })
/** The body is within its limit, but its event is too large for a record. */
export const eventTooLarge = invalid(413, 'body: expected an event that fits into a record')
export const incomplete = invalid(400, 'body: expected all of it')
export const tooManyRequests = invalid(429, 'expected fewer requests', { 'Retry-After': '1' })
export const unavailable: Refusal = {
  status: 503,
  code: 'temporarily_unavailable',
  message: 'the event could not be stored, send it again',
  headers: { 'Retry-After': '1' },
}
/** All the memory for bodies is in use. */
export const noMemory: Refusal = {
  status: 503,
  code: 'temporarily_unavailable',
  message: 'too many bytes are being received, send it again',
  headers: { 'Retry-After': '1', Connection: 'close' },
}
/** For a request whose body has not arrived in full. Nothing more can be read from its connection. */
export const tooSlow = invalid(408, 'the request did not arrive in time', { Connection: 'close' })

/** The answer to a body that was not understood. */
export const refusalOf = (reason: NotUnderstood): Refusal => {
  switch (reason.kind) {
    case 'media-type':
      return invalid(415, describe([reason.problem]))
    case 'invalid':
      return invalid(400, describe(reason.problems))
    case 'unknown-event':
      return unknownEvent
  }
}
