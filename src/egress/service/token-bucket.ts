/**
 * How many requests may begin now, as a value: so many a second, and after a pause a second's worth at once. Times are
 * milliseconds of a monotonic clock.
 */
export type TokenBucket = { readonly perSecond: number; readonly tokens: number; readonly at: number }

export const fullBucket = (perSecond: number, now: number): TokenBucket => ({ perSecond, tokens: perSecond, at: now })

const tokensAt = ({ perSecond, tokens, at }: TokenBucket, now: number): number =>
  Math.min(perSecond, tokens + ((now - at) * perSecond) / 1000)

/** How long the next request has to wait. */
export const bucketWaitMs = (bucket: TokenBucket, now: number): number => {
  const missing = 1 - tokensAt(bucket, now)
  return missing <= 0 ? 0 : Math.ceil((missing * 1000) / bucket.perSecond)
}

/** A request begins. */
export const takeToken = (bucket: TokenBucket, now: number): TokenBucket => ({
  ...bucket,
  tokens: tokensAt(bucket, now) - 1,
  at: now,
})
