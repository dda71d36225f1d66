import * as t from 'io-ts'
import { AccountId, Count } from '../primitives.ts'

/** How many events `seen` has at most: where it has fewer, it has all that the document was ever folded from. */
export const mostSeen = 200

/**
 * In every document that is folded from events. `applied`: by `<topic>/<partition>` the offset of the last record
 * that it has taken in; a record at or below it changes nothing, so any replay from anywhere leaves the document as
 * it is. `seen`: the newest 200 events that it has taken in, each as `<webhooks, bot or egress>/<ce_id>`; one of them
 * again, at a later offset, changes nothing but `applied`.
 */
export const folded = {
  /** The document's key, as the view's name says: `<account id>/<id>`. */
  _id: t.string,

  /** The customer account of the service, by its id in the accounts file. */
  accountId: AccountId,

  /** By `<topic>/<partition>`, the offset of the last record that was taken in. */
  applied: t.record(t.string, Count),

  /** The newest 200 events that were taken in, each as `<webhooks, bot or egress>/<ce_id>`. */
  seen: t.array(t.string),
}
