import { within as orElse } from '../shared/timeout.ts'

/** The promise's outcome, or a rejection after so many milliseconds; what the promise stands for may happen later still. */
export const within = <A>(ms: number, promise: Promise<A>): Promise<A> =>
  orElse(ms, promise, () => Promise.reject(new Error(`MongoDB has not answered within ${ms} ms`)))
