import * as E from 'fp-ts/lib/Either.js'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Account } from '../accounts.ts'
import { type Refusal, tooManyRequests } from './refusal.ts'

/** Counts an account's requests to this instance, both interfaces together, and refuses those over its limit of a second. */
export const rateLimits = (accounts: ReadonlyArray<Account>) => {
  const limiters = new Map(
    accounts.map(({ id, requestsPerSecond }) => [
      id,
      new RateLimiterMemory({ points: requestsPerSecond, duration: 1 }),
    ]),
  )
  return async ({ id }: Account): Promise<E.Either<Refusal, void>> => {
    try {
      await limiters.get(id)?.consume(id)
      return E.right(undefined)
    } catch (thrown) {
      if (!(thrown instanceof RateLimiterRes)) throw thrown
      return E.left(tooManyRequests(Math.max(1, Math.ceil(thrown.msBeforeNext / 1000))))
    }
  }
}
export type RateLimit = ReturnType<typeof rateLimits>
