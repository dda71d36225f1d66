import { createHash } from 'node:crypto'
import type { Instant } from '../../contracts/primitives.ts'
import { mostSeen, mostSeenEarlier, seenEarlierLength } from '../../contracts/views/applied.ts'
import type { Recorded } from '../domain/ports.ts'

/** What a folded document keeps to be the same under any replay (contracts/views/applied.ts). */
export type Guard = {
  applied: Record<string, number>
  seen: string[]
  seenEarlier?: string
  contentHashes?: Record<string, string>
  erased?: true
}

type Dated = { lastEventAt?: Instant | Date }

type Position = Pick<Recorded, 'topic' | 'partition' | 'offset'>

/**
 * The event's identity within an account: `bot/9661ab9c`, since ce_id alone is unique within its source only
 * (CloudEvents).
 */
export const identity = ({ source, id }: { source: string; id: string }): string =>
  `${source.slice(source.lastIndexOf('/') + 1)}/${id}`

/** The offsets with this one taken in; undefined where it was before. A document without offsets has taken in nothing. */
export const advance = (
  applied: Guard['applied'] | undefined,
  { topic, partition, offset }: Position,
): Guard['applied'] | undefined => {
  const source = `${topic}/${partition}`
  return offset <= (applied?.[source] ?? -1) ? undefined : { ...applied, [source]: offset }
}

/** The first characters of the SHA-256 of an event's identity. */
export const digest = (event: string): string =>
  createHash('sha256').update(event).digest('base64url').slice(0, seenEarlierLength)

/** Whether a digest is one of those that stand there one after the other. */
export const isIn = (digests: string, wanted: string): boolean => {
  let at = digests.indexOf(wanted)
  while (at % seenEarlierLength > 0) at = digests.indexOf(wanted, at + 1)
  return at >= 0
}

type Seen = Pick<Guard, 'seen' | 'seenEarlier'>

const hasSeen = ({ seen, seenEarlier = '' }: Seen, event: string): boolean =>
  seen.includes(event) || (seenEarlier !== '' && isIn(seenEarlier, digest(event)))

const withSeen = ({ seen, seenEarlier = '' }: Seen, event: string): Seen => {
  const all = [...seen, event]
  const earlier = seenEarlier + all.slice(0, -mostSeen).map(digest).join('')
  return {
    seen: all.slice(-mostSeen),
    ...(earlier !== '' && { seenEarlier: earlier.slice(-mostSeenEarlier * seenEarlierLength) }),
  }
}

/**
 * The document after a record. A record at or below the stored offset gives the same document, by reference. An event that
 * was seen before, or that repeats the last one of its type with the same content, changes nothing but the guard. So does a late
 * event (`receivedTime`) if the document has a newer one: what it would set may have been changed since. Otherwise `next` makes the document with the advanced guard.
 */
export const once = <D extends Guard & Dated>(
  current: D | undefined,
  recorded: Recorded,
  next: (guard: Guard) => D,
): D => {
  const applied = advance(current?.applied, recorded)
  if (current !== undefined && applied === undefined) return current
  const { type, contentHash, receivedTime } = recorded.event
  // A document that somebody else has made may lack all of this.
  const before: Seen = { seen: current?.seen ?? [], ...(current?.seenEarlier && { seenEarlier: current.seenEarlier }) }
  const event = identity(recorded.event)
  if (current !== undefined && hasSeen(before, event)) return { ...current, applied: applied ?? {} }
  const { [type]: lastHash, ...otherHashes } = current?.contentHashes ?? {}
  const guard: Guard = {
    applied: applied ?? {},
    ...withSeen(before, event),
    ...(current?.contentHashes && { contentHashes: otherHashes }),
    ...(current?.erased && { erased: true as const }),
    ...(contentHash !== undefined && { contentHashes: { ...otherHashes, [type]: contentHash } }),
  }
  if (current === undefined) return next(guard)
  // Its hash is not kept: the same content may come again, and be newer then.
  if (receivedTime !== undefined && new Date(current.lastEventAt ?? Number.NaN) > new Date(receivedTime))
    return { ...current, applied: guard.applied, ...withSeen(before, event) }
  const isRepetition = contentHash !== undefined && contentHash === lastHash
  return isRepetition ? { ...current, ...guard } : next(guard)
}
