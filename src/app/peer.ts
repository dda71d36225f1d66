import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { exactShape } from '../../contracts/primitives.ts'
import type { CheckName } from '../bridge/domain/checks.ts'
import type { Egress } from '../bridge/egress/egress.ts'
import { type Peer, peerHeaders, peerRouter } from '../bridge/http/forward.ts'
import type { Readiness, ReadReadiness } from '../bridge/http/health.ts'
import { OfProcess } from './metrics.ts'
import { type ChildName, rolesOfChild } from './roles.ts'

/** What the other process may ask. */
type Answers = {
  readonly readiness: Readiness
  readonly metrics: OfProcess
  readonly gates: ReturnType<Egress['gates']>
}
const Health = exactShape(
  { ok: t.boolean, reason: t.string },
  { isLimited: t.literal(true), isOff: t.literal(true) },
  'Health',
)
const answers: { readonly [Name in keyof Answers]: t.Decoder<unknown, Answers[Name]> } = {
  readiness: t.type({ ready: t.boolean, checks: t.record(t.string, Health) }),
  metrics: OfProcess,
  gates: t.array(
    exactShape(
      { account: t.string, isOpen: t.boolean },
      {
        perSecond: t.number,
        failures: t.number,
        deferred: t.number,
        refused: t.type({ chats: t.number, examples: t.array(t.type({ chat: t.string, answer: t.string })) }),
      },
      'Gate',
    ),
  ),
}
type Answering = { readonly [Name in keyof Answers]: (withinMs: number) => Promise<Answers[Name]> | Answers[Name] }

/** Shorter than the other process waits: otherwise one late check would make all that this one knows late. */
const answerWithinMs = 1_500

export const answerPeer = (peer: Peer, answering: Answering): ReturnType<typeof peerRouter> =>
  peerRouter(peer, answering, answerWithinMs)

/** Asks the other process. Undefined if it does not run or does not answer in time. */
export const askPeer = async <Name extends keyof Answers>(
  peer: Peer,
  name: Name,
  withinMs: number,
): Promise<Answers[Name] | undefined> => {
  const url = peer.url()
  if (url === undefined) return undefined
  try {
    const answer = await fetch(new URL(`/peer/${name}`, url), {
      headers: peerHeaders(peer),
      signal: AbortSignal.timeout(withinMs),
    })
    if (!answer.ok) return undefined
    return E.getOrElseW(() => undefined)(answers[name].decode(await answer.json()))
  } catch {
    return undefined
  }
}

const rank = ({ ok, isLimited }: Readiness['checks'][string]): number => (ok ? (isLimited ? 1 : 2) : 0)

/** The readiness of both processes. A check that both have fails, or is limited, if it is so in one of them. */
export const joinReadiness = (
  own: Readiness,
  other: Readiness | undefined,
  otherName: ChildName & CheckName,
): Readiness => {
  const theirs = other ?? {
    ready: false,
    checks: {
      [otherName]: {
        ok: false,
        reason: `the process with ${rolesOfChild[otherName].join(', ')} does not answer; it is started again if it has ended`,
      },
    },
  }
  const checks = { ...own.checks }
  for (const [name, check] of Object.entries(theirs.checks)) {
    const mine = checks[name]
    if (mine === undefined || rank(check) < rank(mine)) checks[name] = check
  }
  return { ready: own.ready && theirs.ready, checks }
}

export const readinessOfBoth =
  (own: ReadReadiness, peer: Peer, otherName: ChildName & CheckName): ReadReadiness =>
  async (withinMs) => {
    const [mine, theirs] = await Promise.all([own(withinMs), askPeer(peer, 'readiness', withinMs)])
    return joinReadiness(mine, theirs, otherName)
  }
