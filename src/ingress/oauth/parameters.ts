import * as E from 'fp-ts/lib/Either.js'
import { readJson } from '../json.ts'
import { isJsonObject } from '../json-object.ts'
import { isType } from '../media-type.ts'
import type { Refusal } from '../refusal.ts'

export type Parameters = ReadonlyMap<string, string>
type Entries = ReadonlyArray<readonly [string, string]>

export const invalidRequest = (message: string): E.Either<Refusal, never> =>
  E.left({ status: 400, code: 'invalid_request', message })

const ofForm = (body: Buffer): E.Either<Refusal, Entries> => E.right([...new URLSearchParams(body.toString())])

const ofJson = (body: Buffer): E.Either<Refusal, Entries> => {
  const value = readJson(body)
  if (E.isLeft(value) || !isJsonObject(value.right))
    return invalidRequest('body: expected a JSON object, each parameter once')
  const entries = Object.entries(value.right)
  const texts = entries.flatMap(([name, text]) => (typeof text === 'string' ? [[name, text] as const] : []))
  return texts.length === entries.length ? E.right(texts) : invalidRequest('body: expected text in each parameter')
}

const readers = { 'application/x-www-form-urlencoded': ofForm, 'application/json': ofJson }

/** A token request's parameters: those without a value count as absent, repeated ones are refused (RFC 6749, section 3.2). */
export const parametersOf = (contentType: string, body: Buffer): E.Either<Refusal, Parameters> => {
  const read = Object.entries(readers).find(([type]) => isType(contentType, type))?.[1]
  if (read === undefined) return invalidRequest(`Content-Type: expected ${Object.keys(readers).join(' or ')}`)
  const entries = read(body)
  if (E.isLeft(entries)) return entries
  const names = new Set(entries.right.map(([name]) => name))
  if (names.size < entries.right.length) return invalidRequest('body: expected each parameter once')
  return E.right(new Map(entries.right.filter(([, value]) => value !== '')))
}
