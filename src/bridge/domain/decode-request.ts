import * as E from 'fp-ts/lib/Either.js'
import type { DomainEvent } from '../../../contracts/events/index.ts'
import type { AccountId, Instant } from '../../../contracts/primitives.ts'
import { describe, type Problem } from '../../../contracts/problem.ts'
import { eventIdIn, eventReader } from '../../../contracts/read.ts'
import { sourceAt } from '../../../contracts/source.ts'
import type { WireEvent } from '../../../contracts/wire-events.ts'
import { isJsonObject, type JsonObject } from '../shared/json.ts'

/** What the bridge itself knows of a request. `id` and `contentHash` are for Interface A, which sends no id. */
export type Receipt = {
  readonly accountId: AccountId
  readonly receivedAt: Instant
  readonly traceparent: string
  readonly id?: string
  readonly contentHash?: string
}

/** Why a body cannot become an event: its media type is wrong, its content is invalid, or its event is unknown. */
export type NotUnderstood =
  | { readonly kind: 'media-type'; readonly problem: Problem }
  | { readonly kind: 'invalid'; readonly problems: ReadonlyArray<Problem> }
  | { readonly kind: 'unknown-event' }

export const unknownEvent = 'an event that is not known'

/** The reason as text: it names fields and expected values, never the values that were sent. */
export const problemText = (reason: NotUnderstood): string => {
  switch (reason.kind) {
    case 'media-type':
      return describe([reason.problem])
    case 'invalid':
      return describe(reason.problems)
    case 'unknown-event':
      return unknownEvent
  }
}

/** An event, and how many of the payload's fields are only in its `extra` because their values do not fit. */
export type Decoded = { readonly event: DomainEvent; readonly misfits: number }

/** A payload's event. Pure. */
export type DecodeRequest = (payload: unknown, receipt: Receipt) => E.Either<NotUnderstood, Decoded>

const invalid = (problems: ReadonlyArray<Problem>): E.Either<NotUnderstood, never> =>
  E.left({ kind: 'invalid', problems })

const decoderOf = (
  source: 'webhooks' | 'bot',
  field: string,
  { type, codec, subject, own, hasId }: WireEvent,
): ((payload: JsonObject, receipt: Receipt) => E.Either<NotUnderstood, Decoded>) => {
  const read = eventReader(codec, own, hasId ? [field, 'id'] : [field])
  return (payload, { accountId, receivedAt, contentHash, traceparent, ...receipt }) => {
    const id = hasId ? eventIdIn(payload.id) : receipt.id
    const decoded = read(
      payload,
      (data) => ({
        type,
        id,
        source: sourceAt(accountId, source),
        subject: data[subject],
        time: receivedAt,
        ...(contentHash !== undefined && { contentHash }),
        traceparent,
      }),
      accountId,
    )
    if (id !== undefined) return E.isLeft(decoded) ? invalid(decoded.left) : decoded
    const others = E.isLeft(decoded) ? decoded.left : []
    return invalid([{ path: 'id', expected: 'an integer or text' }, ...others])
  }
}

/**
 * Decodes the payloads of one interface. The payload's `field` names its event. Only what makes it an event is
 * required: the ids, and the message of CLIENT_MESSAGE. All other fields are read tolerantly (contracts/read.ts).
 */
export const decoder = (source: 'webhooks' | 'bot', field: string, events: ReadonlyArray<WireEvent>): DecodeRequest => {
  const byName = new Map(events.map((event) => [event.name, decoderOf(source, field, event)]))
  return (payload, receipt) => {
    if (!isJsonObject(payload)) return invalid([{ path: '', expected: 'an object' }])
    const name = payload[field]
    if (typeof name !== 'string') return invalid([{ path: field, expected: 'text' }])
    return byName.get(name)?.(payload, receipt) ?? E.left({ kind: 'unknown-event' })
  }
}
