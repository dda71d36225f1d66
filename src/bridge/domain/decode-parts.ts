import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { longestId } from '../../../contracts/primitives.ts'
import { describe, placeOf, problemsOf } from '../../../contracts/problem.ts'
import { isJsonObject, isObject } from '../shared/json.ts'
import { longestDetail, type Undecodable, undecodable } from './decode-json.ts'

type Place = ReadonlyArray<string>

/** Stands for a value that is removed. */
const removed = Symbol('removed')

/**
 * A value without what is at these places. A place that does not exist names a field that is required, so what should
 * have it is removed.
 */
const without = (value: unknown, places: ReadonlyArray<Place>): unknown => {
  if (places.length === 0) return value
  if (!isObject(value) || places.some(({ length }) => length === 0)) return removed
  const inside = Map.groupBy(places, ([key = '']) => key)
  const left = Object.entries(value).flatMap(([key, inner]) => {
    const named = key.slice(0, longestId)
    const placesInside = inside.get(named) ?? []
    inside.delete(named)
    const rest = without(
      inner,
      placesInside.map((place) => place.slice(1)),
    )
    return rest === removed ? [] : [[key, rest] as const]
  })
  if (inside.size > 0) return removed
  return Array.isArray(value) ? left.map(([, item]) => item) : Object.fromEntries(left)
}

/** A value without fields that are null, and without parts that have nothing else. */
const known = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(known)
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, known(inner)] as const)
  return Object.fromEntries(entries.filter(([, inner]) => inner !== null && !isEmpty(inner)))
}

const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0

/** What is known of a value, and in words what of it does not fit its contract. */
export type Parts<A> = { readonly value: A; readonly problems?: string }

/**
 * Decodes a JSON object part by part: what is wrong or unknown is left out, and so is what is null. If nothing is left,
 * the value as a whole is refused.
 */
export const decodeParts =
  <A>(codec: t.Mixed) =>
  (json: unknown): E.Either<Undecodable<'contract'>, Parts<A>> => {
    const first: E.Either<t.Errors, unknown> = codec.decode(json)
    if (E.isRight(first)) return E.right({ value: known(first.right) as A })
    const problems = describe(problemsOf(first.left))
    let rest = json
    let decoded: E.Either<t.Errors, unknown> = first
    while (E.isLeft(decoded)) {
      rest = without(rest, decoded.left.map(placeOf))
      if (rest === removed) return undecodable('contract', problems)
      decoded = codec.decode(rest)
    }
    const value = known(decoded.right)
    return isEmpty(value)
      ? undecodable('contract', problems)
      : E.right({ value: value as A, problems: problems.slice(0, longestDetail) })
  }
