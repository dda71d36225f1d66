import { differingFields, type Fields } from './fields.ts'
import type { Places, Positions } from './places.ts'

/** What is known of how far both sides are. */
export type Known = {
  /** What the live view had taken in before its document was read. */
  readonly live: Positions
  /** What the rebuilt view had taken in before its document was read. */
  readonly rebuilt: Positions
  /** The logs, as they were when both documents had been read. */
  readonly logs: Places
}

/** `moving`: one side has taken in a record that the other may still get. */
export type Verdict =
  | { readonly kind: 'same' | 'moving' }
  | { readonly kind: 'different'; readonly what: 'only live' | 'only rebuilt' | ReadonlyArray<string> }

const isOffset = (value: unknown): value is number => Number.isSafeInteger(value)

/**
 * The last record of each partition that a document has taken in; of `timeline`, the one that it is. What the log does not
 * have any more, as commands after their days, is left out: the rebuilt side can never have it.
 */
const takenIn = (document: Fields | undefined, logs: Places): ReadonlyMap<string, number> => {
  const { applied, topic, partition, offset } = document ?? {}
  const all = applied === undefined ? { [`${topic}/${partition}`]: offset } : Object(applied)
  return new Map(
    Object.entries(all).flatMap(([source, last]) =>
      isOffset(last) && last >= (logs.get(source)?.first ?? 0) ? [[source, last]] : [],
    ),
  )
}

/** Of the records that one side has and the other lacks: whether there are any, and one that the other should have. */
const lacking = (
  has: ReadonlyMap<string, number>,
  other: ReadonlyMap<string, number>,
  otherAt: Positions,
  logs: Places,
) => {
  const ahead = [...has].filter(([source, last]) => last > (other.get(source) ?? -1))
  const isDue = ([source, last]: readonly [string, number]) =>
    last < (otherAt.get(source) ?? Number.POSITIVE_INFINITY) || last >= (logs.get(source)?.end ?? 0)
  return { any: ahead.length > 0, due: ahead.some(isDue) }
}

const contentOf = (live: Fields, rebuilt: Fields, sameRecords: boolean): Verdict => {
  const { applied: one, ...liveRest } = live
  const { applied: other, ...rebuiltRest } = rebuilt
  const fields = differingFields(
    sameRecords ? liveRest : { ...liveRest, applied: one },
    sameRecords ? rebuiltRest : { ...rebuiltRest, applied: other },
  )
  return fields.length === 0 ? { kind: 'same' } : { kind: 'different', what: fields }
}

/**
 * Compares a document of the live view with its rebuilt one while records go on coming. They can be told apart only once
 * they have stood still: where both have taken in the same records they have to be equal, and where one lacks a record that
 * it was past they never will be.
 */
export const compare = (live: Fields | undefined, rebuilt: Fields | undefined, known: Known): Verdict => {
  const [inLive, inRebuilt] = [takenIn(live, known.logs), takenIn(rebuilt, known.logs)]
  const rebuiltLacks = lacking(inLive, inRebuilt, known.rebuilt, known.logs)
  const liveLacks = lacking(inRebuilt, inLive, known.live, known.logs)
  const sameRecords = !rebuiltLacks.any && !liveLacks.any
  if (!sameRecords && !rebuiltLacks.due && !liveLacks.due) return { kind: 'moving' }
  if (live === undefined) return rebuilt === undefined ? { kind: 'same' } : { kind: 'different', what: 'only rebuilt' }
  return rebuilt === undefined ? { kind: 'different', what: 'only live' } : contentOf(live, rebuilt, sameRecords)
}
