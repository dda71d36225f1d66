import type * as E from 'fp-ts/lib/Either.js'
import type { Refusal } from '../bridge/http/answer.ts'
import type { AnswerOf, ConsoleRequest } from './page.ts'
import type { ConsoleRoute, routes } from './routes.ts'

export * from './page.ts'

/** A handler's response, of the kind that its route says. */
export type ConsoleAnswer<R extends ConsoleRoute = ConsoleRoute> = AnswerOf<(typeof routes)[R]['answer']>

export type ConsoleHandler<R extends ConsoleRoute = ConsoleRoute> = (
  request: ConsoleRequest,
) => Promise<E.Either<Refusal, ConsoleAnswer<R>>>

/** The handlers of some routes. */
export type Handlers<R extends ConsoleRoute> = {
  readonly [K in R]: (request: ConsoleRequest) => Promise<E.Either<Refusal, ConsoleAnswer<K>>>
}
