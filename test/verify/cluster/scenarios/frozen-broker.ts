import { unless } from '../../faults/findings.ts'
import { wait } from '../../faults/progress.ts'
import type { Scenario } from '../../faults/scenario.ts'
import type { Three } from '../three.ts'
import { underLoad } from '../under-load.ts'

/** Longer than the 9 s after which the controller gives up a silent broker. */
const frozenMs = 20_000

/** A broker that leads partitions falls silent but stays alive: clients get no error, its connections stay open. */
export const frozenBroker: Scenario<Three> = {
  name: 'frozen-broker',
  promises: '1, 2, 3, 6',
  fault: 'a leader SIGSTOP for 20 s, then SIGCONT',
  controls: ['deadlines of requests'],
  inShort: false,
  shortControls: [],
  run: (cluster, _size, without) =>
    underLoad(cluster, without, async ({ topics, passes, goesOn, posts }) => {
      const [topic = ''] = topics
      await passes(300)
      const node = await cluster.leaderOf(topic, 0)
      node.freeze()
      const frozen = performance.now()
      const recovery = goesOn().then((went) => (went ? performance.now() - frozen : undefined))
      await wait(frozenMs)
      node.thaw()
      const went = await recovery
      const again = await goesOn()
      await cluster.inSync(topics)
      const silent = posts.history.filter(({ status }) => status === undefined)
      const slowest = Math.max(...posts.history.map(({ sentAt, endedAt }) => endedAt - sentAt))
      return {
        injected: 1,
        failures: [
          ...unless(went !== undefined && again, 'it does not go on'),
          ...unless(silent.length === 0, `${silent.length} requests without an answer`),
        ],
        notes: [
          `slowest answer ${Math.round(slowest)} ms`,
          `durable and projected again ${((went ?? Number.NaN) / 1000).toFixed(1)} s after the freeze`,
        ],
      }
    }),
}
