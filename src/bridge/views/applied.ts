import { createHash } from 'node:crypto'
import type { Instant } from '../../../contracts/primitives.ts'
import { maxSeen, maxSeenEarlier, seenEarlierLength } from '../../../contracts/views/applied.ts'
import { identity } from '../domain/identity.ts'
import { partitionName } from '../domain/log/record.ts'
import type { Recorded } from './document.ts'

/** The fields that keep a folded document the same under any replay (contracts/views/applied.ts). */
export type Guard = {
  applied: Record<string, number>
  seen: string[]
  seenEarlier?: string
  contentHash?: string
  erased?: true
}

type Dated = { lastEventAt?: Instant | Date }

type Position = Pick<Recorded, 'topic' | 'partition' | 'offset' | 'epoch'>

/** Where `applied` has the leader epoch of a partition's last record. */
const epochOf = (source: string): string => `${source}/epoch`

/**
 * The places after this record. Undefined if the document has it already. Without places it has no records. A log is in
 * the order of its leader epochs, then of its offsets. If it has lost its end, its next records have used offsets but a
 * newer epoch, so they count as new. Without an epoch on both sides the offset alone decides.
 */
export const advance = (
  applied: Guard['applied'] | undefined,
  { topic, partition, offset, epoch }: Position,
): Guard['applied'] | undefined => {
  const source = partitionName({ topic, partition })
  const last = applied?.[source] ?? -1
  const before = applied?.[epochOf(source)]
  const isNew = epoch === undefined || before === undefined || before === epoch ? offset > last : epoch > before
  return isNew ? { ...applied, [source]: offset, ...(epoch !== undefined && { [epochOf(source)]: epoch }) } : undefined
}

/** The first characters of the SHA-256 of an event's identity. */
export const digest = (event: string): string =>
  createHash('sha256').update(event).digest('base64url').slice(0, seenEarlierLength)

/** Whether a digest is one of `digests`, a text of digests one after the other. */
export const hasDigest = (digests: string, wanted: string): boolean => {
  let at = digests.indexOf(wanted)
  while (at % seenEarlierLength > 0) at = digests.indexOf(wanted, at + 1)
  return at >= 0
}

type Seen = Pick<Guard, 'seen' | 'seenEarlier'>

const hasSeen = ({ seen, seenEarlier = '' }: Seen, event: string): boolean =>
  seen.includes(event) || (seenEarlier !== '' && hasDigest(seenEarlier, digest(event)))

const withSeen = ({ seen, seenEarlier = '' }: Seen, event: string): Seen => {
  const all = [...seen, event]
  const earlier = seenEarlier + all.slice(0, -maxSeen).map(digest).join('')
  return {
    seen: all.slice(-maxSeen),
    ...(earlier !== '' && { seenEarlier: earlier.slice(-maxSeenEarlier * seenEarlierLength) }),
  }
}

/**
 * The document after a record. A record at or below the stored offset returns the same document, by reference. Three
 * kinds of events change only the guard: an event that was seen before, a repetition of the last event (`contentHash`),
 * and a late event (`receivedTime`) if the document has a newer one. Newer events may have changed
 * what the late event would set. Otherwise `next` makes the document with the advanced guard.
 */
export const once = <D extends Guard & Dated>(
  current: D | undefined,
  recorded: Recorded,
  next: (guard: Guard) => D,
): D => {
  const applied = advance(current?.applied, recorded)
  if (current !== undefined && applied === undefined) return current
  const { contentHash, receivedTime } = recorded.event
  // A document made by hand may lack all of these fields.
  const before: Seen = { seen: current?.seen ?? [], ...(current?.seenEarlier && { seenEarlier: current.seenEarlier }) }
  const event = identity(recorded.event)
  if (current !== undefined && hasSeen(before, event)) return { ...current, applied: applied ?? {} }
  const guard: Guard = {
    applied: applied ?? {},
    ...withSeen(before, event),
    ...(current?.erased && { erased: true as const }),
    ...(contentHash !== undefined && { contentHash }),
  }
  if (current === undefined) return next(guard)
  // The hash of a late event is not stored: the same content may come again and be newer then.
  if (receivedTime !== undefined && new Date(current.lastEventAt ?? Number.NaN) > new Date(receivedTime))
    return { ...current, applied: guard.applied, ...withSeen(before, event) }
  const isRepetition = contentHash !== undefined && contentHash === current.contentHash
  if (isRepetition) return { ...current, ...guard }
  const after = next(guard)
  return contentHash === undefined ? withoutContentHash(after) : after
}

const withoutContentHash = <D extends Guard>(document: D): D => {
  if (document.contentHash === undefined) return document
  const { contentHash: _, ...rest } = document
  return rest as D
}
