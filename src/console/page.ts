import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import type { AccountId } from '../../contracts/primitives.ts'
import { describe, problemsOf } from '../../contracts/problem.ts'
import type { ConsoleRole } from '../bridge/domain/accounts.ts'
import { invalid, type Refusal } from '../bridge/http/answer.ts'
import { notRecorded, optionsOf, type RecordAction } from '../bridge/operations/audit.ts'

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
export type AnswerOf<A> = A extends t.Any
  ? Body<t.TypeOf<A>>
  : A extends 'text/csv'
    ? Body<string>
    : A extends 'a document'
      ? Body<object>
      : Stream<A>

/** A route of the console's API. Its key in a page's routes is its method and path. */
export type Route = {
  /** The JSON of the answer, or the media type of a stream or file. */
  readonly answer: t.Mixed | 'application/x-ndjson' | 'text/event-stream' | 'text/csv' | 'a document'
  /** Who may use it. Unless it says otherwise, whoever may open the page. */
  readonly roles?: ReadonlyArray<ConsoleRole>
  /**
   * It is answered without MongoDB too, to a session that was read before: a part of the frame of every page, or how the
   * bridge is. It must have no personal data, because a session that was ended elsewhere is not noticed then.
   */
  readonly withoutMongo?: true
}
export type Routes = Readonly<Record<string, Route>>

export type Answer = AnswerOf<Route['answer']>
export type Handler<A extends Route['answer'] = Route['answer']> = (
  request: ConsoleRequest,
) => Promise<E.Either<Refusal, AnswerOf<A>>>
export type HandlersOf<R extends Routes> = { readonly [Name in keyof R]: Handler<R[Name]['answer']> }

/** Routes with their handlers, which are made once from what the bridge gives them. */
export type Part<R extends Routes, Needs> = {
  readonly routes: R
  readonly handlers: (needs: Needs) => HandlersOf<R>
}

/** A part of a page that is an idea of its own. */
export const part = <const R extends Routes, Needs>(it: Part<R, Needs>): Part<R, Needs> => it

/** A page of the console. It must be in the list of pages/index.ts. */
export type Page<Name extends string, R extends Routes, Needs> = Part<R, Needs> & {
  /** The part of the address after the account. */
  readonly name: Name
  readonly title: string
  /** The second key after `g`. */
  readonly key: string
  /** The roles that may open it. A session needs one of them for the account. */
  readonly roles: ReadonlyArray<ConsoleRole>
}

export const page = <const Name extends string, const R extends Routes, Needs>(
  it: Page<Name, R, Needs>,
): Page<Name, R, Needs> => it

export const everyone: ReadonlyArray<ConsoleRole> = ['viewer', 'lead', 'operator', 'privacy']
export const operators: ReadonlyArray<ConsoleRole> = ['operator']
/** Those who may see personal data of conversations. */
export const readers: ReadonlyArray<ConsoleRole> = ['lead', 'privacy']

export const ok = <A>(body: A): E.Either<never, Body<A>> => E.right({ status: 200, body })

/** Decodes a request's body or query. Left names the field and the expected value. */
export const decodeAs = <A>(codec: t.Decoder<unknown, A>, given: unknown): E.Either<Refusal, A> =>
  E.mapLeft((errors: t.Errors) => invalid(400, describe(problemsOf(errors))))(codec.decode(given))

/** The request is not allowed. */
export const forbidden = (message: string): Refusal => ({ status: 403, code: 'invalid_client', message })

/** The request asked a server for too much. The same again would fail again. The message must be safe to show. */
export const tooMuch = (message: string): Refusal => ({ status: 503, code: 'temporarily_unavailable', message })

/** The request failed because a server is unavailable. It may succeed later. The message must be safe to show. */
export const unavailable = (message: string): Refusal => ({ ...tooMuch(message), headers: { 'Retry-After': '2' } })

/** Returns a function that records actions of the session's `who`. */
export type RecordActionOf = (who: string) => RecordAction

/** Records a look at personal data, before the data is read. If it cannot be recorded, Left: then nothing is shown. */
export const recordLook =
  (recordActionOf: RecordActionOf) =>
  async (
    { session, accountId }: Pick<ConsoleRequest, 'session' | 'accountId'>,
    command: string,
    options: object = {},
  ): Promise<E.Either<Refusal, void>> => {
    const recorded = await recordActionOf(session.who)({
      action: 'unmask',
      command,
      options: optionsOf(options),
      accountId: accountId as AccountId,
    })
    return E.mapLeft((failure: Parameters<typeof notRecorded>[0]) => unavailable(notRecorded(failure)))(recorded)
  }
