import { withAdmin } from '../../../support/plain-consumer.ts'
import type { Scenario } from '../../faults/scenario.ts'
import type { Three } from '../three.ts'
import { underLoad } from '../under-load.ts'

/** An operator adds partitions to the topics while events arrive. */
export const partitions: Scenario<Three> = {
  name: 'partitions',
  promises: '2, 3',
  fault: 'partitions added to topics, from 4 to 7; leader SIGKILL, so that all is learned anew',
  controls: ['keys stay in their partition'],
  inShort: false,
  shortControls: [],
  run: (cluster, _size, without) =>
    underLoad(cluster, without, async ({ topics, passes, goesOn }) => {
      const [topic = ''] = topics
      await passes(400)
      await withAdmin(cluster.brokers, (admin) =>
        admin.createPartitions({ topicPartitions: topics.map((each) => ({ topic: each, count: 7 })) }),
      )
      await passes(200)
      const leader = await cluster.leaderOf(topic, 0)
      leader.kill()
      await passes(400)
      await leader.restart()
      await passes(200)
      const went = await goesOn()
      await cluster.inSync(topics)
      return { injected: 2, failures: went ? [] : ['it does not go on'] }
    }),
}
