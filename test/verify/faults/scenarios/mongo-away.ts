import { wrongDocuments } from '../checker.ts'
import { findingsOf, unless, wrong } from '../findings.ts'
import { observedWorld } from '../observed-world.ts'
import { after, wait } from '../progress.ts'
import type { Scenario } from '../scenario.ts'
import { streams } from '../streams.ts'

// Longer than the retries of a slice, and then of each of its records, before the bridge gives anything up.
const awayMs = 40_000

/** MongoDB is down for a long time while events arrive. */
export const mongoAway: Scenario = {
  name: 'mongo-away',
  promises: '9',
  fault: 'mongod SIGKILL, away for 40 s, then restarted',
  controls: ['an outage is told from a fault of the message'],
  inShort: false,
  shortControls: [],
  run: async (cluster, _size, without) => {
    const { mongod } = cluster
    const here = await observedWorld(cluster, without)
    const place = await here.place(['ingress', 'projector'])
    const bridge = await place.start()
    await here.ready(bridge)
    const posts = here.recorder([place])
    const load = posts.drive(streams({ workers: 8, messages: true }), { pauseMs: 20 })
    await after(300, posts, load)
    mongod.kill()
    await wait(awayMs)
    const unready = !(await bridge.isReady())
    await mongod.restart()
    await after(300, posts, load)
    posts.halt()
    await load
    const caughtUp = await here.caughtUp(90_000)
    const dead = await here.dead()
    const [expected, actual] = [await here.fold(), await here.documents()]
    const verdict = await here.verdict(posts.history)
    await here.stop()
    return findingsOf(verdict, {
      injected: 1,
      failures: [
        ...unless(dead.length === 0, `${dead.length} dead letters`),
        ...unless(unready, 'was ready all the while'),
        ...unless(caughtUp, 'the projector did not catch up'),
        ...wrong('documents that differ from the fold of the log', wrongDocuments(expected, actual)),
      ],
      notes: [`${dead.length} dead letters`],
    })
  },
}
