/**
 * Limits how many requests may begin (a token bucket), as a value: `perSecond` each second, and after a pause a
 * second's worth at once. Times are milliseconds of a monotonic clock.
 */
export type RequestLimit = { readonly perSecond: number; readonly tokens: number; readonly at: number }

export const fullLimit = (perSecond: number, now: number): RequestLimit => ({ perSecond, tokens: perSecond, at: now })

const tokensAt = ({ perSecond, tokens, at }: RequestLimit, now: number): number =>
  Math.min(perSecond, tokens + ((now - at) * perSecond) / 1000)

/** How long the next request has to wait. */
export const limitWaitMs = (limit: RequestLimit, now: number): number => {
  const missing = 1 - tokensAt(limit, now)
  return missing <= 0 ? 0 : Math.ceil((missing * 1000) / limit.perSecond)
}

/** A request begins. */
export const takeToken = (limit: RequestLimit, now: number): RequestLimit => ({
  ...limit,
  tokens: tokensAt(limit, now) - 1,
  at: now,
})

/** The request that `takeToken` began was not made. */
export const giveBackToken = (limit: RequestLimit): RequestLimit => ({ ...limit, tokens: limit.tokens + 1 })
