import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import type { AccountId } from '../../contracts/primitives.ts'
import { describe, problemsOf } from '../../contracts/problem.ts'
import { type Answer, invalid, type Refusal } from '../http/answer.ts'
import { notRecorded, type RecordAction } from '../operations/audit.ts'
import type { ConsoleRole, ConsoleRoute } from './access-table.ts'

/** Roles for accounts; `*` is every account. */
export type Grant = { readonly role: ConsoleRole; readonly accounts: ReadonlyArray<string> | '*' }

/** Until when a chat's personal data may be shown in this session, since that was asked for and recorded on `audit`. */
export type Unmasked = { readonly accountId: string; readonly chatId: string; readonly until: Date }

/** Somebody who is signed in. */
export type Session = {
  /** The name that the topic `audit` gets. */
  readonly who: string
  readonly grants: ReadonlyArray<Grant>
  readonly csrf: string
  readonly expiresAt: Date
  readonly unmasked: ReadonlyArray<Unmasked>
  /** Remembers it with the session. */
  readonly unmask: (unmasked: Unmasked) => Promise<void>
}

/** A request whose session and role are checked. */
export type ConsoleRequest = {
  readonly session: Session
  /** Of the path; empty where the path has none. Always one of the accounts file. */
  readonly accountId: string
  readonly chatId: string
  readonly query: URLSearchParams
  /** The body's JSON value, at most 64 KiB; undefined for GET. */
  readonly body: unknown
  /** Aborts when the caller has gone, or the session has ended. */
  readonly signal: AbortSignal
}

/** What a handler may answer beside JSON: text of any kind, or a stream, which ends with the request's signal. */
export type ConsoleAnswer =
  | Answer
  | {
      readonly status: 200
      readonly stream: AsyncIterable<string>
      readonly type: 'text/event-stream' | 'application/x-ndjson'
    }

export type ConsoleHandler = (request: ConsoleRequest) => Promise<E.Either<Refusal, ConsoleAnswer>>

/** The handlers of some routes. */
export type Handlers<R extends ConsoleRoute> = Readonly<Record<R, ConsoleHandler>>

/** A request's body or query as its codec has it; Left names the field and what was expected there. */
export const decodeAs = <A>(codec: t.Decoder<unknown, A>, given: unknown): E.Either<Refusal, A> =>
  E.mapLeft((errors: t.Errors) => invalid(400, describe(problemsOf(errors))))(codec.decode(given))

/** What was asked for did not happen, since a server is away: in words that may be shown. */
export const unavailable = (message: string): Refusal => ({ status: 503, code: 'temporarily_unavailable', message })

/** Records what somebody does; `who` is the session's. */
export type RecordActionOf = (who: string) => RecordAction

/** Records that somebody looks at personal data, before it is read: Left where that is not recorded, so that nothing is shown. */
export const recordLook =
  (recordActionOf: RecordActionOf) =>
  async (
    { session, accountId }: Pick<ConsoleRequest, 'session' | 'accountId'>,
    detail: string,
  ): Promise<E.Either<Refusal, void>> => {
    const recorded = await recordActionOf(session.who)({ action: 'unmask', detail, accountId: accountId as AccountId })
    return E.mapLeft((failure: Parameters<typeof notRecorded>[0]) => unavailable(notRecorded(failure)))(recorded)
  }
