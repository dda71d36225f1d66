import * as t from 'io-ts'
import { Code, personal } from '../personal.ts'
import { exactShape, Id, Instant, NonBlank } from '../primitives.ts'

/**
 * A domain event: the attributes of CloudEvents beside its data. `id` is the ce_id; a repeated event has the same.
 * `source` is `/accounts/<account id>/webhooks`, `/bot`, `/egress` or `/erasures`. `subject` is the chat or client id.
 * `time` is when the bridge received or made the event. Equal bodies of an account's webhooks have an equal
 * `contentHash`. `receivedTime` marks a late event: its request was in quarantine, and an operator processed it after
 * an upgrade. `receivedTime` is when the bridge received the request, and the event's `time` equals it.
 */
export const domainEvent = <Type extends string, Data extends t.Mixed>(type: Type, data: Data) =>
  exactShape(
    { type: t.literal(type), id: Id, source: NonBlank, subject: Id, time: Instant, data },
    { traceparent: Code, contentHash: Code, receivedTime: Instant },
    type,
  )

/** Fields of a request that the contract does not know, under their wire names. */
export const extra = {
  /** Fields of the request that the contract does not know, under their wire names and in their original nesting. */
  extra: personal(t.UnknownRecord),
}
