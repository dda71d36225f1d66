/** The milliseconds that a Retry-After header asks for, seconds or an HTTP date (RFC 9110, 10.2.3). */
export const retryAfterMs = (header: string | undefined, nowMs: number): number | undefined => {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const date = /^[A-Z][a-z]{2}[\w,: -]+$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs)
}
