import { wrongDocuments } from '../checker.ts'
import { findingsOf, unless, wrong } from '../findings.ts'
import { observedWorld } from '../observed-world.ts'
import { after, wait } from '../progress.ts'
import type { Scenario } from '../scenario.ts'
import { streams } from '../streams.ts'

/** The projector is killed and rewound, and mongod killed, while events arrive; the last kill interrupts a write. */
export const views: Scenario = {
  name: 'views',
  promises: '2, 3',
  fault: 'projector SIGKILL at random and before its commit; offsets rewound at random; mongod SIGKILL',
  controls: ['commit after MongoDB has acknowledged', 'the offsets in each document'],
  inShort: false,
  shortControls: [],
  run: async (cluster, size, without) => {
    const { mongod } = cluster
    const here = await observedWorld(cluster, without)
    const [intake, place] = [await here.place(['ingress']), await here.place(['projector'])]
    const ingress = await intake.start()
    let projector = await place.start()
    await here.ready(projector)
    const posts = here.recorder([intake])
    const rounds = size === 'long' ? 2 : 1
    const part = size === 'long' ? 2_500 : 200
    let injected = 0
    const load = posts.drive(streams({ workers: 8, chats: 2, messages: true }), { pauseMs: 15 })

    for (let round = 0; round < rounds; round++) {
      await after(part, posts, load)
      await projector.kill('SIGTERM')
      await here.rewind((committed) => Math.floor(Math.random() * committed))
      projector = await place.start()
      await here.ready(projector)
      await after(part, posts, load)
      mongod.kill()
      await after(part / 4, posts, load)
      await mongod.restart()
      await here.ready(projector)
      if (size === 'long') {
        await wait(Math.random() * 1_000)
        await projector.kill('SIGKILL')
        projector = await place.start()
        await here.ready(projector)
        injected++
      }
      injected += 2
    }
    // The records that the projector reads now wait for MongoDB when the projector dies.
    mongod.freeze()
    await after(part, posts, load)
    await wait(1_000)
    await projector.kill('SIGKILL')
    mongod.thaw()
    posts.halt()
    await load
    projector = await place.start()
    const caughtUp = await here.caughtUp(90_000)
    const [expected, actual] = [await here.fold(), await here.documents()]
    await projector.kill('SIGTERM')

    await here.rewind(() => 0)
    projector = await place.start()
    await here.ready(projector)
    const replayed = await here.caughtUp(90_000)
    const again = await here.documents()
    const verdict = await here.verdict(posts.history)
    await ingress.kill('SIGTERM')
    await here.stop()
    return findingsOf(verdict, {
      injected: injected + 2,
      failures: [
        ...unless(caughtUp && replayed, 'the projector did not catch up'),
        ...wrong('documents that differ from the fold of the log', wrongDocuments(expected, actual)),
        ...wrong('documents that a second replay has changed', wrongDocuments(actual, again)),
      ],
      notes: [`${Object.keys(actual).length} documents compared whole, twice`],
    })
  },
}
