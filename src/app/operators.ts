import type { Egress } from '../bridge/egress/egress.ts'
import { forwardRouter, fromClients, fromPeerOnly, type Peer } from '../bridge/http/forward.ts'
import { operatorsRouter, type ReadReadiness } from '../bridge/http/health.ts'
import { createHttpServer, type HttpServer, type Routers } from '../bridge/http/server.ts'
import { monotonic } from '../bridge/shared/time.ts'
import { answerPeer, askPeer, readinessOfBoth } from './peer.ts'
import { type Ports, scrapeWithinMs } from './ports.ts'
import { type ChildName, otherChild } from './roles.ts'

/** This process is one of two. */
export type InPair = { readonly child: ChildName; readonly peer: Peer }

type Gates = ReturnType<Egress['gates']>

/** What this process knows of itself. */
export type Own = { readonly readiness: ReadReadiness; readonly gates: () => Gates }

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
