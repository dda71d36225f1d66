import { findingsOf, unless } from '../findings.ts'
import { observedWorld } from '../observed-world.ts'
import { after, wait } from '../progress.ts'
import type { Scenario } from '../scenario.ts'
import { streams } from '../streams.ts'

const rate = 0.15

/** Produce requests and responses are swallowed, and broker and bridge are killed, while events arrive. */
export const produce: Scenario = {
  name: 'produce',
  promises: '1, 2',
  fault: 'Produce requests and responses swallowed (15 %); broker SIGKILL; bridge SIGKILL',
  controls: ['acknowledgement by the broker'],
  inShort: true,
  shortControls: ['acknowledgement by the broker'],
  run: async (cluster, size, without) => {
    const { proxy, broker } = cluster
    const here = await observedWorld(cluster, without)
    const place = await here.place(['ingress'])
    let bridge = await place.start()
    await here.ready(bridge)
    const posts = here.recorder([place])
    const [count, rounds] = size === 'long' ? [30_000, 2] : [3_000, 1]
    const swallowedBefore = proxy.swallowed()
    let kills = 0

    const load = posts.drive(streams({ workers: 24 }))
    proxy.swallow(rate)
    for (let round = 0; round < rounds; round++) {
      const part = count / rounds / 4
      await after(part, posts, load)
      await wait(size === 'long' ? 3_000 : 500)
      broker.kill()
      await after(part, posts, load)
      await broker.restart()
      await after(part, posts, load)
      await bridge.kill('SIGKILL')
      bridge = await place.start()
      kills += 2
    }
    await after(count - posts.sent(), posts, load, 60_000)
    posts.halt()
    await load
    proxy.swallow(0)
    proxy.cut()
    const drained = await here.drained(bridge, without ? 15_000 : 60_000)
    // Requests in flight without a response may still arrive.
    await bridge.kill('SIGTERM')
    const verdict = await here.verdict(posts.history)
    await here.stop()
    const swallowed = proxy.swallowed() - swallowedBefore
    return findingsOf(verdict, {
      injected: swallowed + kills,
      failures: [...unless(drained, 'the journal was not drained'), ...unless(swallowed > 0, 'nothing was swallowed')],
      notes: [`${swallowed} swallowed, ${kills / 2} kills of each`],
    })
  },
}
