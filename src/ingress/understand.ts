import * as E from 'fp-ts/lib/Either.js'
import type { DomainEvent } from '../../contracts/events/index.ts'
import type { Admitted } from './admission.ts'
import { readJson } from './json.ts'
import { mediaTypeProblem } from './media-type.ts'
import type { NotUnderstood } from './not-understood.ts'

/** A request's event: the way from its bytes to `translate`, or the first thing on it that was wrong. Pure. */
export const understand = (
  { body, contentType, contentEncoding }: Omit<Admitted, 'account'>,
  translate: (payload: unknown) => E.Either<NotUnderstood, DomainEvent>,
): E.Either<NotUnderstood, DomainEvent> => {
  const problem = mediaTypeProblem(contentType, contentEncoding)
  if (problem !== undefined) return E.left({ kind: 'media-type', problem })
  const payload = readJson(body)
  return E.isLeft(payload) ? E.left({ kind: 'invalid', problems: [payload.left] }) : translate(payload.right)
}
