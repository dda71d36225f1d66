import * as E from 'fp-ts/lib/Either.js'

/** Returns the right value; throws if the value is left. */
export const right = <A>(either: E.Either<unknown, A>): A => {
  if (E.isRight(either)) return either.right
  throw new Error(`expected right, got left: ${JSON.stringify(either.left)?.slice(0, 2000)}`)
}

/** Returns the left value; throws if the value is right. */
export const left = <L>(either: E.Either<L, unknown>): L => {
  if (E.isLeft(either)) return either.left
  throw new Error(`expected left, got right: ${JSON.stringify(either.right)?.slice(0, 2000)}`)
}
