import * as t from 'io-ts'
import { Code, personal } from '../personal.ts'
import { exactShape, Id, Instant, NonBlank } from '../primitives.ts'

/**
 * A domain event: CloudEvents' attributes beside its data. `id` is the ce_id, which a repeat repeats; `source` is
 * `/accounts/<account id>/webhooks`, `/bot`, `/egress` or `/erasures`; `subject` the chat or client id; `time` when the bridge took it in;
 * `contentHash` is equal for equal bodies of an account's webhooks. `receivedTime` marks an event as late: its request was in
 * quarantine, and an operator took it in after an upgrade; it is when the request came, as `time` is then.
 */
export const domainEvent = <Type extends string, Data extends t.Mixed>(type: Type, data: Data) =>
  exactShape(
    { type: t.literal(type), id: Id, source: NonBlank, subject: Id, time: Instant, data },
    { traceparent: Code, contentHash: Code, receivedTime: Instant },
    type,
  )

/** What the contract does not know of a request, under its wire names. */
export const extra = {
  /** What the contract does not know of the request, under its wire names, nested in place. */
  extra: personal(t.UnknownRecord),
}
