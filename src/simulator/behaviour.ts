import { hash, randomNumbers } from './random.ts'

/**
 * What the service does with a request that is in order. `delay`: takes it in and answers after `ms`; `late`: takes it in
 * at once, answers after `ms`; `slow-body`: takes it in, sends half of its answer's body, the rest after `ms`. With
 * `applied` it takes the request in before it fails; `too-many-requests` and `error-in-200` never take it in.
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

/** A request as a script sees it; `attempt` counts from 1 how often this event's id has come. */
export type Attempted = { readonly chatId: string; readonly id: string; readonly attempt: number }
/** What to do with a request; undefined: the script has nothing to say of it. */
export type Script = (request: Attempted) => Behaviour | undefined

/** The first request gets the first behaviour, and so on; then nothing more. */
export const inTurn = (...behaviours: ReadonlyArray<Behaviour>): Script => {
  const left = [...behaviours]
  return () => left.shift()
}

export const always =
  (behaviour: Behaviour): Script =>
  () =>
    behaviour

/** Each behaviour for its share (0 to 1) of the requests: by seed, id and attempt, so whatever order they come in. */
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
 * Takes so many requests a second, a quarter of them at once after a pause; the others are treated like this. Requests that had
 * to wait because this process `stoodStill`, in ms, count as if they had come one by one.
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
