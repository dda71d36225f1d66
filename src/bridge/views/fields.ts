import type { DomainEvent } from '../../../contracts/events/index.ts'
import { overtakenMs } from '../../../contracts/views/applied.ts'
import type { Dated } from '../../../contracts/views/dated.ts'

/** Those of the named fields that are present, so that an absent field does not replace a document's own. */
export const present = <A extends object, K extends keyof A>(from: A, ...keys: ReadonlyArray<K>): Pick<A, K> => {
  const those: Partial<Pick<A, K>> = {}
  for (const key of keys) if (from[key] !== undefined) those[key] = from[key]
  return those as Pick<A, K>
}

/** Milliseconds from one instant to another, 0 if clocks disagree about their order. */
export const msBetween = (from: Date, to: Date): number => Math.max(0, to.getTime() - from.getTime())

/** Whether an event that came after an end may have happened before it: its request was only slower. */
export const isWithinMoments = (endedAt: Date, time: Date): boolean => time.getTime() - endedAt.getTime() <= overtakenMs

/** The first of two times. */
export const earlier = (one: Date, other: Date): Date => (one < other ? one : other)

/** The last of two times. */
export const later = (one: Date, other: Date): Date => (one > other ? one : other)

/** `acme/2037`: the id of the document of an event's chat or client. */
export const documentId = ({ data, subject }: Pick<Dated<DomainEvent>, 'data' | 'subject'>): string =>
  `${data.accountId}/${subject}`
