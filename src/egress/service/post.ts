import * as E from 'fp-ts/lib/Either.js'
import type { HttpResponse, NetworkFailure, PostToService } from './http.ts'

const bodyLimit = 64 * 1024

const causes = (error: unknown): ReadonlyArray<unknown> =>
  error instanceof Error ? [error, ...causes(error.cause)] : []

/** undici's names for what the operating system would call a reset. */
const resets = new Set(['UND_ERR_SOCKET', 'EPIPE'])

const codeOf = (error: unknown): string => {
  for (const cause of causes(error)) {
    if (cause instanceof Error && cause.name === 'TimeoutError') return 'timeout'
    if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string')
      return resets.has(cause.code) ? 'ECONNRESET' : cause.code
  }
  return 'network'
}

/** Reads no more than the limit; leaving the loop early destroys the socket. */
const readBody = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= bodyLimit) break
  }
  return Buffer.concat(chunks).subarray(0, bodyLimit).toString('utf8')
}

/**
 * Posts with the runtime's fetch: no redirects are followed, connections are kept alive, and a request that takes longer
 * than `timeoutMs` with its answer's body is aborted, which destroys its socket. At most 64 KiB of the body are read.
 */
export const postToService: PostToService = async ({ url, headers, body }, timeoutMs) => {
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    const retryAfter = response.headers.get('retry-after')
    return E.right<NetworkFailure, HttpResponse>({
      status: response.status,
      headers: retryAfter === null ? {} : { retryAfter },
      body: await readBody(response),
    })
  } catch (error) {
    return E.left({ code: codeOf(error) })
  }
}
