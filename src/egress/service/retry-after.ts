/** No mistake of the service, or of a proxy in front of it, may silence an account for longer. */
const mostMs = 300_000

/** The milliseconds that a Retry-After header asks for, seconds or an HTTP date (RFC 9110, 10.2.3): five minutes at most. */
export const retryAfterMs = (header: string | undefined, nowMs: number): number | undefined => {
  const text = header?.trim() ?? ''
  if (/^\d+$/.test(text)) return Math.min(mostMs, Number(text) * 1000)
  const date = /^[A-Z][a-z]{2}[\w,: -]+$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.min(mostMs, Math.max(0, date - nowMs))
}
