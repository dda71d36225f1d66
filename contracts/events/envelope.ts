import * as t from 'io-ts'
import { exactShape, Id, Instant, NonBlank } from '../primitives.ts'

/**
 * A domain event: CloudEvents' attributes beside its data. `id` is the ce_id, which a repeat repeats; `source` is
 * `/accounts/<account id>/webhooks`, `/bot` or `/egress`; `subject` the chat or client id; `time` when the bridge took it in;
 * `contentHash` is equal for equal bodies of an account's webhooks.
 */
export const domainEvent = <Type extends string, Data extends t.Mixed>(type: Type, data: Data) =>
  exactShape(
    { type: t.literal(type), id: Id, source: NonBlank, subject: Id, time: Instant, data },
    { traceparent: t.string, contentHash: t.string },
    type,
  )

/** What the contract does not know of a request, under its wire names. */
export const extra = {
  /** What the contract does not know of the request, under its wire names, nested in place. */
  extra: t.UnknownRecord,
}
