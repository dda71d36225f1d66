import * as E from 'fp-ts/lib/Either.js'

/** Why a server cannot run here: one sentence that says what to do. */
export type Problem = { readonly message: string }

export const problem = (message: string): E.Either<Problem, never> => E.left({ message })
