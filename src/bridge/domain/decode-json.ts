import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { describe, problemsOf } from '../../../contracts/problem.ts'
import { type JsonProblem, readJson } from './read-json.ts'

/** Why a record cannot be read. `cause` is one of few words. `detail` names fields and never contains their values. */
export type Undecodable<Cause extends string = string> = { readonly cause: Cause; readonly detail: string }

/** The maximum length of a detail. */
export const longestDetail = 1000

export const undecodable = <Cause extends string>(cause: Cause, detail: string): E.Either<Undecodable<Cause>, never> =>
  E.left({ cause, detail: detail.slice(0, longestDetail) })

// An event has the fields of a request, which may nest 32 deep, inside its own fields.
const deepest = 64

/** The JSON value of a record. `exact` is for records of other programs: the bridge writes only doubles. */
export const readValue = (
  bytes: Buffer | null,
  { exact }: { readonly exact: boolean },
): E.Either<Undecodable<'no-value' | JsonProblem['cause']>, unknown> => {
  if (bytes === null) return undecodable('no-value', 'value: expected JSON')
  const json = readJson(bytes, { deepest, exact })
  return E.isRight(json) ? json : undecodable(json.left.cause, describe([json.left], 'value'))
}

/** Decodes a JSON value by one contract. */
export const decodeJson =
  <A>(codec: t.Decoder<unknown, A>) =>
  (json: unknown): E.Either<Undecodable<'contract'>, A> => {
    const decoded = codec.decode(json)
    return E.isRight(decoded) ? decoded : undecodable('contract', describe(problemsOf(decoded.left)))
  }
