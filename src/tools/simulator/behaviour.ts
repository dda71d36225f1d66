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
