import { wait } from '../../faults/progress.ts'
import type { Scenario } from '../../faults/scenario.ts'
import type { Three } from '../three.ts'
import { underLoad } from '../under-load.ts'

/** Long enough for a write that only the leader has, too short for the cluster to consider a broker dead. */
const behindMs = 1_500

/**
 * The leader is killed while events arrive, and the next one while its followers are frozen: records that it alone has
 * are lost with it. There is one partition, since a send that waits for another leader is not acknowledged in any case.
 */
export const leader: Scenario<Three> = {
  name: 'leader',
  promises: '1, 2, 3',
  fault: "the leader SIGKILL; then the next one, while its followers are SIGSTOP'd",
  controls: ['acknowledgement by all replicas'],
  inShort: false,
  shortControls: [],
  run: (cluster, size, without) =>
    underLoad(
      cluster,
      without,
      async ({ topics, passes, goesOn }) => {
        const [topic = ''] = topics
        const rounds = size === 'long' ? 2 : 1
        let injected = 0
        for (let round = 0; round < rounds; round++) {
          await passes(400)
          if (size === 'long') {
            const first = await cluster.leaderOf(topic, 0)
            first.kill()
            await passes(600)
            await first.restart()
            await cluster.inSync(topics)
            injected++
          }
          const second = await cluster.leaderOf(topic, 0)
          const followers = cluster.nodes.filter((node) => node !== second)
          for (const follower of followers) follower.freeze()
          await wait(behindMs)
          second.kill()
          for (const follower of followers) follower.thaw()
          await passes(400)
          await second.restart()
          await cluster.inSync(topics)
          injected += 3
        }
        return { injected, failures: (await goesOn()) ? [] : ['it does not go on'] }
      },
      { partitions: 1, messages: false },
    ),
}
