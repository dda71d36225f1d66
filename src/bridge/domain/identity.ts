/**
 * The event's identity within an account: `bot/9661ab9c`. The ce_id alone is unique only within its source
 * (CloudEvents). Documents have it in `seen` (contracts/views/applied.ts), so it must never change.
 */
export const identity = ({ source, id }: { readonly source: string; readonly id: string }): string =>
  `${sourceOf({ source })}/${id}`

/** webhooks, bot, egress or erasures: the part of the bridge that accepted or made the event. */
export const sourceOf = ({ source }: { readonly source: string }): string => source.slice(source.lastIndexOf('/') + 1)

/** An id as one part of an `_id`. Any text may be an id, so its slashes are escaped. Decimal ids stay unchanged. */
export const asPart = (id: string): string => id.replaceAll('%', '%25').replaceAll('/', '%2F')

/** The account id in a record's key or a document's `_id`: no account id has a slash. Empty if there is none. */
export const accountIdIn = (key: string): string => key.slice(0, Math.max(0, key.indexOf('/')))
