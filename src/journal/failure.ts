import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../domain/ports.ts'

export const transient = (reason: string): E.Either<Failure, never> => E.left({ kind: 'transient', reason })

/** What the file system said, as a code: its messages hold paths. */
export const codeOf = (cause: unknown): string =>
  cause instanceof Error ? ('code' in cause ? String(cause.code) : cause.name) : 'unknown'

/** The task's value, or a transient failure that says what was tried and the file system's code. */
export const attempt = async <A>(what: string, task: () => Promise<A>): Promise<E.Either<Failure, A>> => {
  try {
    return E.right(await task())
  } catch (cause) {
    return transient(`${what}: ${codeOf(cause)}`)
  }
}
