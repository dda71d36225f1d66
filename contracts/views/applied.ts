import * as t from 'io-ts'
import { AccountId, Count } from '../primitives.ts'

/**
 * In every document that is folded from events: by `<topic>/<partition>` the offset of the last record that it has taken
 * in. A record at or below it changes nothing, so any replay from anywhere leaves the document as it is.
 */
export const folded = { _id: t.string, accountId: AccountId, applied: t.record(t.string, Count) }

/** The ids of the newest events that a document has taken in, so that a repeated event counts once. */
export const seen = { seen: t.array(t.string) }
