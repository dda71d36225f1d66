import { wrongDocuments } from '../checker.ts'
import { findingsOf, unless, wrong } from '../findings.ts'
import { type InFlight, openRequest } from '../in-flight.ts'
import { observedWorld } from '../observed-world.ts'
import { after } from '../progress.ts'
import type { Scenario } from '../scenario.ts'
import { streams } from '../streams.ts'
import { webhook } from '../traffic.ts'

const inFlightEach = 5

/** Two instances get SIGTERM and start again in turns, each with requests in flight, while events arrive. */
export const deploy: Scenario = {
  name: 'deploy',
  promises: '14',
  fault: 'SIGTERM under load of two instances in turns, with requests half sent',
  controls: ['what is in flight is finished'],
  inShort: true,
  shortControls: [],
  run: async (cluster, size, without) => {
    const here = await observedWorld(cluster, without)
    const places = [await here.place(['ingress', 'projector']), await here.place(['ingress', 'projector'])]
    const bridges = await Promise.all(places.map((place) => place.start()))
    await Promise.all(bridges.map(here.ready))
    const posts = here.recorder(places)
    const [restarts, part] = size === 'long' ? [6, 2_000] : [2, 400]
    const load = posts.drive(streams({ workers: 16 }))
    const answers: Array<Awaited<InFlight['answer']>> = []
    const exits: Array<number | null> = []
    const took: number[] = []

    for (let i = 0; i < restarts; i++) {
      await after(part, posts, load)
      const which = i % 2
      const [place, bridge] = [places[which], bridges[which]]
      if (place === undefined || bridge === undefined) break
      const half = await Promise.all(
        Array.from({ length: inFlightEach }, (_, n) =>
          openRequest(place.webhooks, webhook(900_000 + i * 100 + n, 1).body),
        ),
      )
      const began = performance.now()
      bridge.signal('SIGTERM')
      await after(50, posts, load)
      for (const each of half) each.finish()
      answers.push(...(await Promise.all(half.map(({ answer }) => answer))))
      exits.push((await bridge.ended).code)
      took.push(Math.round(performance.now() - began))
      bridges[which] = await place.start()
      await here.ready(bridges[which])
    }
    posts.halt()
    await load
    const caughtUp = await here.caughtUp()
    const [expected, actual] = [await here.fold(), await here.documents()]
    const verdict = await here.verdict(posts.history)
    await here.stop()
    const cut = answers.filter((answer) => answer !== 200)
    const unanswered = posts.history.flatMap(({ chat, seq, error }) => (error ? [`${chat} #${seq} ${error}`] : []))
    return findingsOf(verdict, {
      injected: restarts,
      failures: [
        ...wrong('requests in flight that were not answered 200', cut.map(String)),
        ...unless(
          exits.every((code) => code === 0),
          `exit codes ${exits.join(', ')}`,
        ),
        ...wrong('requests without an answer', unanswered),
        ...unless(caughtUp, 'the projectors did not catch up'),
        ...wrong('documents that differ from the fold of the log', wrongDocuments(expected, actual)),
      ],
      notes: [
        `drained within ${Math.max(...took)} ms, ${answers.length - cut.length} of ${answers.length} requests in flight answered`,
      ],
    })
  },
}
