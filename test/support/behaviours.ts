import type { Behaviour, Script } from '../../src/tools/simulator/behaviour.ts'
import { randomNumbers } from '../../src/tools/simulator/random.ts'

export const always =
  (behaviour: Behaviour): Script =>
  () =>
    behaviour

/** A 32-bit hash of a text (FNV-1a). */
const hash = (text: string) => {
  let h = 0x811c9dc5
  for (const char of text) h = Math.imul(h ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return h
}

/** Each behaviour gets its share (0 to 1) of the requests, by seed, id and attempt, in any order of arrival. */
export const atRandom =
  (seed: number, shares: ReadonlyArray<{ readonly share: number; readonly behaviour: Behaviour }>): Script =>
  ({ id, attempt }) => {
    let at = randomNumbers(seed ^ hash(`${id}#${attempt}`))()
    return shares.find(({ share }) => {
      at -= share
      return at < 0
    })?.behaviour
  }

/**
 * Accepts `perSecond` requests a second, after a pause a quarter of them at once. The others get `beyond`. Requests
 * that waited because this process `stoodStill` (in ms) count as if they had arrived one by one.
 */
export const atMost = (perSecond: number, beyond: Behaviour, now: () => number, stoodStill = () => 0): Script => {
  const atOnce = Math.max(1, perSecond / 4)
  let room = atOnce
  let at = now()
  return () => {
    const most = Math.max(atOnce, (stoodStill() * perSecond) / 1000)
    room = Math.min(most, room + ((now() - at) * perSecond) / 1000)
    at = now()
    if (room < 1) return beyond
    room -= 1
    return undefined
  }
}
