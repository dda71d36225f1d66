import type { Behaviour } from '../../../src/tools/simulator/behaviour.ts'
import type { ReceivedRequest } from '../../../src/tools/simulator/state.ts'
import type { Outcome } from './replies.ts'
import type { Kill } from './reply-checker.ts'

type Requests = ReadonlyMap<string, ReadonlyArray<ReceivedRequest>>

/** Tolerance for timers and rounding. */
const slackMs = 50

const statusOf = (behaviour: Behaviour | undefined): number | undefined => {
  switch (behaviour?.kind) {
    case 'regular':
      return 200
    case 'error':
      return behaviour.status
    case 'too-many-requests':
      return 429
    default:
      return undefined
  }
}

type Told = Outcome['data']['attempts'][number]

/** A response after the client's timeout counts as no response. */
const tellsOf = ({ at, status, code }: Told, request: ReceivedRequest | undefined): boolean => {
  if (request === undefined || Date.parse(at) > request.at + slackMs) return false
  if (code === 'timeout') return status === undefined
  return status === statusOf(request.behaviour) && (status === 200) === (code === undefined)
}

/** The commands whose outcome does not list every request at the service, with its time, its status and its error. */
export const untoldAttempts = (
  outcomes: ReadonlyArray<Outcome>,
  requests: Requests,
  kills: ReadonlyArray<Kill>,
): ReadonlyArray<string> =>
  outcomes.flatMap(({ data: { commandId, attempts } }) => {
    const all = requests.get(commandId) ?? []
    // The attempts of a killed worker are lost.
    const died = kills.filter(({ finished }) => !finished.has(commandId)).at(-1)
    const known = died === undefined ? all : all.filter(({ at }) => at > died.at)
    const isTold = attempts.length === known.length && attempts.every((attempt, i) => tellsOf(attempt, known[i]))
    return isTold ? [] : [commandId]
  })

type Waiting = { readonly commandId: string; readonly from: number; readonly until: number }

/** The bridge tries its own invitation of an agent at this interval, even if the service requests a longer pause. */
const invitationEveryMs = 30_000

/** The pauses that the outcomes show: after each 429 its account has to wait. */
const pausesOf = (outcomes: ReadonlyArray<Outcome>, retryAfterMs: number): ReadonlyArray<Waiting> =>
  outcomes.flatMap(({ data: { commandId, attempts } }) =>
    attempts.flatMap(({ at, durationMs, status }) => {
      const from = Date.parse(at) + durationMs
      return status === 429 ? [{ commandId, from, until: from + retryAfterMs }] : []
    }),
  )

/** The attempts, of any command of the account, that began before a Retry-After had passed. */
export const earlyAttempts = (
  outcomes: ReadonlyArray<Outcome>,
  retryAfterMs: number,
  kills: ReadonlyArray<Kill>,
): ReadonlyArray<string> => {
  const pauses = pausesOf(outcomes, retryAfterMs)
  const isEarly = (at: number, mostMs: number) =>
    pauses.some(
      ({ from, until }) =>
        at > from + slackMs &&
        at < Math.min(until, from + mostMs) - slackMs &&
        !kills.some((kill) => kill.at > from && kill.at < at),
    )
  return outcomes.flatMap(({ data: { commandId, commandType, because, attempts } }) => {
    const isInvitation = commandType === 'InviteAgent' && because !== undefined
    const mostMs = isInvitation ? invitationEveryMs : Number.POSITIVE_INFINITY
    return attempts.filter(({ at }) => isEarly(Date.parse(at), mostMs)).map(({ at }) => `${commandId} at ${at}`)
  })
}

/** The requests that were sent to the service again before the Retry-After of their own 429 had passed. */
export const earlyRequests = (requests: Requests, retryAfterMs: number): ReadonlyArray<string> =>
  [...requests].flatMap(([id, all]) =>
    all.flatMap(({ at, behaviour, event }, i) => {
      const next = all[i + 1]
      const waitMs = event?.event === 'INVITE_AGENT' ? Math.min(retryAfterMs, invitationEveryMs) : retryAfterMs
      const isEarly = behaviour?.kind === 'too-many-requests' && next !== undefined && next.at < at + waitMs - slackMs
      return isEarly ? [id] : []
    }),
  )
