import * as E from 'fp-ts/lib/Either.js'

/** Why a server cannot run here: one sentence that says what to do. */
export type Problem = { readonly message: string }

/** What the user can do if an embedded server cannot run. */
export const instead = {
  kafka: 'set KAFKA_BROKERS to a broker of your own',
  mongod: 'set MONGODB_URL to a MongoDB replica set of your own, or MONGOD_BINARY to a mongod',
}

export const problem = (message: string): E.Either<Problem, never> => E.left({ message })
