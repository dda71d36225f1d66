import type { Scenario } from '../../faults/scenario.ts'
import type { Three } from '../three.ts'
import { underLoad } from '../under-load.ts'

/** All brokers are restarted one by one, as for an upgrade: each when the previous one is in sync again. */
export const rolling: Scenario<Three> = {
  name: 'rolling',
  promises: '1, 2, 3',
  fault: 'rolling restart of all brokers by SIGTERM',
  controls: ['what the broker refuses is sent again'],
  inShort: false,
  shortControls: [],
  run: (cluster, _size, without) =>
    underLoad(cluster, without, async ({ topics, passes, posts }) => {
      const took: number[] = []
      for (const node of cluster.nodes) {
        await passes(300)
        const began = performance.now()
        await node.stop()
        await passes(100)
        await node.restart()
        await cluster.inSync(topics)
        took.push(Math.round((performance.now() - began) / 1000))
      }
      await passes(300)
      const refused = posts.history.filter(({ status }) => status === 503).length
      return { injected: 3, notes: [`in sync again after ${took.join(', ')} s; ${refused} times 503`] }
    }),
}
