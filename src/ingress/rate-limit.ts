import * as E from 'fp-ts/lib/Either.js'
import type { Account } from '../domain/accounts.ts'
import { type Refusal, tooManyRequests } from './refusal.ts'

const windowMs = 1_000

/** For the counts of so many accounts, which threads share. */
export const rateMemory = (accounts: number) => new SharedArrayBuffer(8 * accounts)

/**
 * Counts an account's requests to this instance, both interfaces together, and refuses those over its limit within a second
 * from the first on. `monotonic` is in ms, and the same for all who share the memory.
 */
export const rateLimits = (
  accounts: ReadonlyArray<Account>,
  memory: SharedArrayBuffer,
  monotonic: () => number,
): ((account: Account) => E.Either<Refusal, void>) => {
  const began = new Int32Array(memory, 0, accounts.length)
  const counts = new Int32Array(memory, 4 * accounts.length)
  const places = new Map(accounts.map(({ id }, place) => [id, place]))
  const count = (place: number): number => {
    const now = Math.floor(monotonic()) | 0
    const from = Atomics.load(began, place)
    const passed = (now - from) | 0
    const isOver = passed < 0 || passed >= windowMs
    if (isOver && Atomics.compareExchange(began, place, from, now) === from) Atomics.store(counts, place, 0)
    return Atomics.add(counts, place, 1) + 1
  }
  return ({ id, requestsPerSecond }) => {
    const place = places.get(id)
    return place === undefined || count(place) <= requestsPerSecond ? E.right(undefined) : E.left(tooManyRequests)
  }
}
export type RateLimit = ReturnType<typeof rateLimits>
