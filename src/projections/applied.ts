import { mostSeen } from '../../contracts/views/applied.ts'
import type { Recorded } from '../domain/ports.ts'

/** What a folded document keeps to be the same under any replay (contracts/views/applied.ts). */
export type Guard = { applied: Record<string, number>; seen: string[] }

type Position = Pick<Recorded, 'topic' | 'partition' | 'offset'>

/**
 * The event's identity within an account: `bot/9661ab9c`, since ce_id alone is unique within its source only
 * (CloudEvents).
 */
export const identity = ({ source, id }: { source: string; id: string }): string =>
  `${source.slice(source.lastIndexOf('/') + 1)}/${id}`

/** The offsets with this one taken in; undefined where it was before. */
export const advance = (
  applied: Guard['applied'],
  { topic, partition, offset }: Position,
): Guard['applied'] | undefined => {
  const source = `${topic}/${partition}`
  return offset <= (applied[source] ?? -1) ? undefined : { ...applied, [source]: offset }
}

/**
 * The document after a record. A record at or below the stored offset gives the same document, by reference; an event
 * that is among the newest seen changes nothing but `applied`; otherwise `next` makes the document with the advanced
 * guard.
 */
export const once = <D extends Guard>(current: D | undefined, recorded: Recorded, next: (guard: Guard) => D): D => {
  const applied = advance(current?.applied ?? {}, recorded)
  if (current !== undefined && applied === undefined) return current
  const guard = { applied: applied ?? {}, seen: current?.seen ?? [] }
  const event = identity(recorded.event)
  return current?.seen.includes(event)
    ? { ...current, applied: guard.applied }
    : next({ ...guard, seen: [...guard.seen, event].slice(-mostSeen) })
}
