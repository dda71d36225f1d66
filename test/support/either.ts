import * as E from 'fp-ts/lib/Either.js'

/** What stands right, in a test for which left is a failure. */
export const right = <A>(either: E.Either<unknown, A>): A => {
  if (E.isRight(either)) return either.right
  throw new Error(`expected right, got left: ${JSON.stringify(either.left)?.slice(0, 2000)}`)
}

/** What stands left, in a test for which right is a failure. */
export const left = <L>(either: E.Either<L, unknown>): L => {
  if (E.isLeft(either)) return either.left
  throw new Error(`expected left, got right: ${JSON.stringify(either.right)?.slice(0, 2000)}`)
}
