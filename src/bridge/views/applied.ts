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
 * `applied` after this record; undefined if the document has the record already. Epochs come before offsets: a log that
 * was cut goes on with used offsets and a newer epoch. If one side has no epoch, the offset alone decides.
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
 * The document after a record. `next` makes it, with the guard after this record. It is not asked for
 *
 * - a record at or below the stored offset: the same document is returned, by reference;
 * - an event that was seen before, at a lower offset: only its place is new;
 * - a repetition of the last event, with another identity and the same `contentHash`;
 * - a late event (it has `receivedTime`) if the document has a newer one, which may have changed what this one would set.
 */
export const applyGuarded = <D extends Guard & Dated>(
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
