import { hash, randomNumbers } from './random.ts'

/**
 * What the service does with a valid request. `delay`: processes and answers it after `ms`. `late`: processes it at
 * once, answers after `ms`. `slow-body`: processes it, sends half of the response body, the rest after `ms`. With
 * `applied` it processes the request before it fails. `too-many-requests` and `error-in-200` never process it.
 */
export type Behaviour =
  | { readonly kind: 'regular' }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'late'; readonly ms: number }
  | { readonly kind: 'slow-body'; readonly ms: number }
  | { readonly kind: 'too-many-requests'; readonly retryAfterSeconds: number }
  | { readonly kind: 'error'; readonly status: number; readonly applied?: boolean }
  | { readonly kind: 'drop'; readonly applied?: boolean }
  | { readonly kind: 'error-in-200' }

/** A request as a script sees it. `attempt` counts from 1 how often this event's id has arrived. */
export type Attempted = { readonly chatId: string; readonly id: string; readonly attempt: number }
/** What to do with a request; undefined if the script has no rule for it. */
export type Script = (request: Attempted) => Behaviour | undefined

/** The first request gets the first behaviour, and so on. Further requests get none. */
export const inTurn = (...behaviours: ReadonlyArray<Behaviour>): Script => {
  const left = [...behaviours]
  return () => left.shift()
}

export const always =
  (behaviour: Behaviour): Script =>
  () =>
    behaviour

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
