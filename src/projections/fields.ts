import type { DomainEvent } from '../../contracts/events/index.ts'
import type { Instant } from '../../contracts/primitives.ts'

/** Those of the named fields that are there, so that an absent one leaves a document's own as it is. */
export const present = <A extends object, K extends keyof A>(from: A, ...keys: ReadonlyArray<K>): Pick<A, K> =>
  Object.fromEntries(keys.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key]]]))) as Pick<A, K>

/** Milliseconds from one instant to another, 0 where clocks disagree about their order. */
export const msBetween = (from: Instant, to: Instant): number => Math.max(0, Date.parse(to) - Date.parse(from))

/** `acme/2037`: the document of an event's chat or client. */
export const documentId = ({ data, subject }: DomainEvent): string => `${data.accountId}/${subject}`
