import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import { type MemoryShares, memoryShares } from '../shared/memory-shares.ts'
import { within } from '../shared/timeout.ts'

/** The memory for bodies, shared by all requests of a kind. An owner is an account, an address or a person. */
export type BodyBudget = MemoryShares

/**
 * The bodies of one owner may take three times as much as is free. So an owner whose senders are slow gets three
 * quarters, the next one three quarters of the rest, and there is room for the usual bodies of others.
 */
export const bodyBudget = (maxBytes: number): BodyBudget =>
  memoryShares(maxBytes, (own, free, bytes) => own + bytes <= 3 * (free - bytes))

/** Why there is no body. `head`: its beginning. `size`: its size in bytes if the request states it. */
export type NoBody =
  | { readonly kind: 'too-large'; readonly head: Buffer; readonly size: number | undefined }
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'no-memory' }

/** `release` returns the body's bytes to the budget. It must be called when the request is finished. */
export type Body = { readonly bytes: Buffer; readonly release: () => void }

export type BodyLimits = {
  readonly maxBytes: number
  readonly drainMs: number
  readonly budget: BodyBudget
  /** For whose bodies the memory is. */
  readonly owner: string
}

/** How much of a body is kept if it is too large. */
export const headBytes = 64 * 1024

/** Reads and drops the rest of a body for a while. A sender that is cut off while it sends receives no answer. */
const drain = (req: IncomingMessage, ms: number): Promise<void> => {
  const ended = new Promise<void>((resolve) => {
    req.once('end', resolve).once('close', resolve).resume()
  })
  return within(ms, ended, () => undefined)
}

/** Reads a request's body, byte for byte. It never holds more than the limit and the budget allow. */
export const readBody = (
  req: IncomingMessage,
  { maxBytes, drainMs, budget, owner }: BodyLimits,
): Promise<E.Either<NoBody, Body>> =>
  new Promise((resolve) => {
    const declared = Number(req.headers['content-length'])
    const size = Number.isSafeInteger(declared) ? declared : undefined
    const limit = size !== undefined && size > maxBytes ? Math.min(headBytes, maxBytes) : maxBytes
    const chunks: Buffer[] = []
    let held = 0
    let isSettled = false

    const settle = async (outcome: E.Either<NoBody, Body>) => {
      if (isSettled) return
      isSettled = true
      req.off('data', take)
      chunks.length = 0
      if (E.isLeft(outcome)) {
        budget.giveBack(owner, held)
        if (outcome.left.kind !== 'incomplete') await drain(req, drainMs)
      }
      resolve(outcome)
    }
    const take = (chunk: Buffer) => {
      if (held + chunk.length > limit) {
        // A copy: a view would keep all bytes in memory.
        const head = Buffer.from(Buffer.concat([...chunks, chunk]).subarray(0, headBytes))
        settle(E.left({ kind: 'too-large', head, size }))
      } else if (budget.hasRoomFor(owner, chunk.length)) {
        budget.take(owner, chunk.length)
        held += chunk.length
        chunks.push(chunk)
      } else settle(E.left({ kind: 'no-memory' }))
    }
    const incomplete = () => settle(E.left({ kind: 'incomplete' }))
    req
      .on('data', take)
      .once('end', () =>
        settle(E.right({ bytes: Buffer.concat(chunks, held), release: () => budget.giveBack(owner, held) })),
      )
      .on('error', incomplete)
      .once('close', incomplete)
  })
