import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import getRawBody from 'raw-body'
import { within } from '../shared/timeout.ts'
import { incomplete, type Refusal, tooLarge } from './refusal.ts'

/** Reads and throws away what is left of a body, for a while: a sender that is cut off while it sends hears no answer. */
const drain = async (req: IncomingMessage, ms: number): Promise<void> => {
  const ended = new Promise<void>((resolve) => {
    req
      .once('end', resolve)
      .once('close', resolve)
      .once('error', () => resolve())
      .resume()
  })
  await within(ms, ended, () => undefined)
}

/** A request's body as it was sent, or why there is none: over the limit, or not all of it came. */
export const readBody = async (
  req: IncomingMessage,
  { bodyBytes, drainMs }: { readonly bodyBytes: number; readonly drainMs: number },
): Promise<E.Either<Refusal, Buffer>> => {
  const length = req.headers['content-length']
  try {
    return E.right(await getRawBody(req, { limit: bodyBytes, ...(length !== undefined && { length }) }))
  } catch (thrown) {
    const large = thrown instanceof Error && 'type' in thrown && thrown.type === 'entity.too.large'
    if (large) await drain(req, drainMs)
    return E.left(large ? tooLarge(bodyBytes) : incomplete)
  }
}
