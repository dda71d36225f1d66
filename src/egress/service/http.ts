import type { Either } from 'fp-ts/lib/Either.js'

export type HttpRequest = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** `body` is what was read of it, up to a bound. */
export type HttpResponse = {
  readonly status: number
  readonly headers: { readonly retryAfter?: string }
  readonly body: string
}

/** No whole answer came: `timeout`, `ECONNREFUSED`, `ECONNRESET`, … The service may have taken the request. */
export type NetworkFailure = { readonly code: string }

export type HttpResult = Either<NetworkFailure, HttpResponse>

/** One POST, `timeoutMs` for all of it with the answer's body. Never rejects. */
export type PostToService = (request: HttpRequest, timeoutMs: number) => Promise<HttpResult>
