import type { CheckName } from '../bridge/domain/checks.ts'
import type { Egress } from '../bridge/egress/egress.ts'
import { forwardRouter, fromClients, fromPeerOnly, type Peer, peerHeaders, peerRouter } from '../bridge/http/forward.ts'
import { operatorsRouter, type Readiness, type ReadReadiness } from '../bridge/http/health.ts'
import { createHttpServer, type HttpServer, type Routers } from '../bridge/http/server.ts'
import { monotonic } from '../bridge/shared/time.ts'
import type { OfProcess } from './metrics.ts'
import { type ChildName, otherChild, rolesOfChild } from './pair.ts'
import { type Ports, scrapeWithinMs } from './ports.ts'

/** This process is one of two. */
export type InPair = { readonly child: ChildName; readonly peer: Peer }

/** What the other process may ask. */
type Answers = {
  readonly readiness: Readiness
  readonly metrics: OfProcess
  readonly gates: ReturnType<Egress['gates']>
}
type Answering = { readonly [Name in keyof Answers]: (withinMs: number) => Promise<Answers[Name]> | Answers[Name] }

/** Shorter than the other process waits: otherwise one late check would make all that this one knows late. */
const answerWithinMs = 1_500

export const answerPeer = (peer: Peer, answering: Answering): ReturnType<typeof peerRouter> =>
  peerRouter(peer, answering, answerWithinMs)

/**
 * Asks the other process. Undefined if it does not run or does not answer in time. It runs the same code, so its answer
 * has the type that it has there.
 */
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
    return answer.ok ? ((await answer.json()) as Answers[Name]) : undefined
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

const readinessOfBoth =
  (own: ReadReadiness, peer: Peer, otherName: ChildName & CheckName): ReadReadiness =>
  async (withinMs) => {
    const [mine, theirs] = await Promise.all([own(withinMs), askPeer(peer, 'readiness', withinMs)])
    return joinReadiness(mine, theirs, otherName)
  }

/** What this process knows of itself. */
export type Own = { readonly readiness: ReadReadiness; readonly gates: () => Answers['gates'] }

/** The readiness of the whole bridge, and the gates of egress, which may run in the other process. */
export const seenByConsole = ({ readiness, gates }: Own, pair: InPair | undefined) =>
  pair === undefined
    ? { readiness, gates }
    : {
        readiness: readinessOfBoth(readiness, pair.peer, otherChild[pair.child]),
        gates: async () => (await askPeer(pair.peer, 'gates', scrapeWithinMs)) ?? [],
      }

/** Clients of the operators' port retry after a closed connection. So its shutdown does not wait for them to leave. */
const limits = { leaveMs: 0, closeOnNextResponseMs: 0, graceMs: 500 }

/**
 * The server of the operators' port: health with reasons, metrics, and the console if it runs. Of two processes, front
 * has the operators' port: it answers for both and passes on what is for the console. Back answers front only.
 */
export const operatorsServer = (
  { settings, metrics, log }: Ports,
  { readiness, gates }: Own,
  consoleRouters: ReturnType<Routers>,
  pair: InPair | undefined,
): HttpServer => {
  const deps = { measure: metrics.measure, log, monotonic }
  if (pair === undefined)
    return createHttpServer(
      deps,
      ({ healthMs }) => [
        operatorsRouter({ readiness, metrics: metrics.render, log, monotonic }, healthMs),
        ...consoleRouters,
      ],
      limits,
      fromClients,
    )
  const { child, peer } = pair
  const forPeer = answerPeer(peer, { readiness, metrics: metrics.ofProcess, gates })
  if (child === 'back') return createHttpServer(deps, () => [forPeer, ...consoleRouters], limits, fromPeerOnly(peer))
  const ofBoth = {
    readiness: readinessOfBoth(readiness, peer, 'back'),
    metrics: () => metrics.renderWith(() => askPeer(peer, 'metrics', 2 * scrapeWithinMs)),
    log,
    monotonic,
  }
  return createHttpServer(
    deps,
    ({ healthMs }) => [operatorsRouter(ofBoth, healthMs), forPeer, forwardRouter(settings.console.basePath, peer)],
    limits,
    fromClients,
  )
}
