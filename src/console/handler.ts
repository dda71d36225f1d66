import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import type { AccountId } from '../../contracts/primitives.ts'
import { describe, problemsOf } from '../../contracts/problem.ts'
import type { ConsoleRole } from '../bridge/domain/accounts.ts'
import { invalid, type Refusal } from '../bridge/http/answer.ts'
import { notRecorded, type RecordAction } from '../bridge/operations/audit.ts'
import type { ConsoleRoute, routes } from './routes.ts'

/** Roles for accounts; `*` is every account. */
export type Grant = { readonly role: ConsoleRole; readonly accounts: ReadonlySet<string> | '*' }

/** This session may show a chat's personal data `until` then. The request for it is recorded on `audit`. */
export type Unmasked = { readonly accountId: string; readonly chatId: string; readonly until: Date }

/** The session of a person who is signed in. */
export type Session = {
  /** The person's name on the topic `audit`. */
  readonly who: string
  readonly grants: ReadonlyArray<Grant>
  readonly csrf: string
  readonly expiresAt: Date
  readonly unmasked: ReadonlyArray<Unmasked>
  /** Stores it with the session. */
  readonly unmask: (unmasked: Unmasked) => Promise<void>
}

/** A request after the check of its session and role. */
export type ConsoleRequest = {
  readonly session: Session
  /** From the path; empty if the path has none. Otherwise an account of the accounts file. */
  readonly accountId: string
  readonly chatId: string
  readonly query: URLSearchParams
  /** The JSON value of the body, at most 64 KiB; undefined for GET. */
  readonly body: unknown
  /** Aborts when the caller disconnects, the session or role ends, or the bridge stops. */
  readonly signal: AbortSignal
}

type Body<A> = {
  readonly status: number
  readonly body: A
  readonly headers?: Readonly<Record<string, string>>
}
/** It ends with the request's signal. */
type Stream<A> = {
  readonly status: 200
  readonly stream: AsyncIterable<string>
  readonly type: A
}
type AnswerOf<A> = A extends t.Any
  ? Body<t.TypeOf<A>>
  : A extends 'text/csv'
    ? Body<string>
    : A extends 'a document'
      ? Body<object>
      : Stream<A>

/** A handler's response, of the kind that answers.ts gives its route. */
export type ConsoleAnswer<R extends ConsoleRoute = ConsoleRoute> = AnswerOf<(typeof routes)[R]['answer']>

export type ConsoleHandler<R extends ConsoleRoute = ConsoleRoute> = (
  request: ConsoleRequest,
) => Promise<E.Either<Refusal, ConsoleAnswer<R>>>

/** The handlers of some routes. */
export type Handlers<R extends ConsoleRoute> = {
  readonly [K in R]: (request: ConsoleRequest) => Promise<E.Either<Refusal, ConsoleAnswer<K>>>
}

export const ok = <A>(body: A): E.Either<never, Body<A>> => E.right({ status: 200, body })

/** Decodes a request's body or query. Left names the field and the expected value. */
export const decodeAs = <A>(codec: t.Decoder<unknown, A>, given: unknown): E.Either<Refusal, A> =>
  E.mapLeft((errors: t.Errors) => invalid(400, describe(problemsOf(errors))))(codec.decode(given))

/** The request failed because a server is unavailable. The message must be safe to show. */
export const unavailable = (message: string): Refusal => ({ status: 503, code: 'temporarily_unavailable', message })

/** Returns a function that records actions of the session's `who`. */
export type RecordActionOf = (who: string) => RecordAction

/** Records a look at personal data, before the data is read. If it cannot be recorded, Left: then nothing is shown. */
export const recordLook =
  (recordActionOf: RecordActionOf) =>
  async (
    { session, accountId }: Pick<ConsoleRequest, 'session' | 'accountId'>,
    detail: string,
  ): Promise<E.Either<Refusal, void>> => {
    const recorded = await recordActionOf(session.who)({ action: 'unmask', detail, accountId: accountId as AccountId })
    return E.mapLeft((failure: Parameters<typeof notRecorded>[0]) => unavailable(notRecorded(failure)))(recorded)
  }
