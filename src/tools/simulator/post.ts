/** One request: its start (ms since 1970), its duration (ms), and its response or why there was none. */
export type Attempt = { readonly at: number; readonly tookMs: number } & (
  | { readonly kind: 'answered'; readonly status: number; readonly body: unknown }
  | { readonly kind: 'unanswered'; readonly reason: string }
)

export type Post = (url: string, body: string, headers: Readonly<Record<string, string>>) => Promise<Attempt>

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const causeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown'
  if (error.name === 'TimeoutError') return 'timeout'
  const { cause } = error
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.message
}

/** Posts once. A response counts only if it is complete within `timeoutMs`. Never throws. */
export const createPost =
  (timeoutMs: number, now: () => number): Post =>
  async (url, body, headers) => {
    const at = now()
    const end = <A>(outcome: A) => ({ at, tookMs: now() - at, ...outcome })
    try {
      const signal = AbortSignal.timeout(timeoutMs)
      const response = await fetch(url, { method: 'POST', body, headers, signal, redirect: 'manual' })
      return end({ kind: 'answered' as const, status: response.status, body: parsed(await response.text()) })
    } catch (error) {
      return end({ kind: 'unanswered' as const, reason: causeOf(error) })
    }
  }
