import { createHash } from 'node:crypto'
import { recent, recentMemory } from './recent.ts'

const tenMinutes = 10 * 60 * 1000

/** When a body was first seen: at its remembered sighting where that is less than ten minutes ago, else now (ms since 1970). */
export const firstSeen = (sighting: number | undefined, now: number): number =>
  sighting !== undefined && now - sighting < tenMinutes ? sighting : now

const hashOf = (accountId: string, body: Uint8Array) => createHash('sha256').update(`${accountId}\n`).update(body)

/**
 * Gives a webhook, which has no id of its own, an event id: 32 characters of base64url (192 bits) of
 * `sha256(account, raw body, floor(firstSeen / 10 min))`, where firstSeen is the time of the body's first sighting within
 * the last ten minutes as this instance remembers it, else now. Hence:
 * - the same body again within ten minutes of its first sighting is the same event; ten minutes after it or later, a new one;
 * - repeats within one ten-minute window of the clock agree across instances and restarts, by arithmetic alone;
 * - a repeat across a window's edge agrees where this instance saw the first one and still remembers it: it remembers
 *   at least as many of the newest bodies as its memory was made for, at most twice as many.
 * `now` is in ms since 1970.
 */
export const identity = (memory = recentMemory()) => {
  const sightings = recent(memory)
  return (accountId: string, body: Uint8Array, now: number): string => {
    const hash = hashOf(accountId, body)
    const key = hash.copy().digest('base64url')
    const seen = firstSeen(sightings.get(key), now)
    sightings.set(key, seen)
    return hash
      .update(`\n${Math.floor(seen / tenMinutes)}`)
      .digest('base64url')
      .slice(0, 32)
  }
}
export type Identify = ReturnType<typeof identity>
