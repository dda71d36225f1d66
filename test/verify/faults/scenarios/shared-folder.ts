import { findingsOf, unless } from '../findings.ts'
import { observedWorld } from '../observed-world.ts'
import { after } from '../progress.ts'
import type { Scenario } from '../scenario.ts'
import { streams } from '../streams.ts'

/** Two bridges on one machine die with records in their journals, and only one is started again. */
export const sharedFolder: Scenario = {
  name: 'shared-folder',
  promises: '5',
  fault: 'broker SIGSTOP; two bridges with one DATA_DIR SIGKILLed, only one restarted',
  controls: ['journals without a process are adopted'],
  inShort: true,
  shortControls: ['journals without a process are adopted'],
  run: async (cluster, size, without) => {
    const { broker } = cluster
    const here = await observedWorld(cluster, without)
    const first = await here.place(['ingress'])
    const second = await here.place(['ingress'], {}, first.dataDir)
    const bridges = [await first.start(), await second.start()]
    for (const bridge of bridges) await here.ready(bridge)
    // Each bridge has its own chats: events of one chat in the journals of two processes have no order between them.
    const posts = [here.recorder([first]), here.recorder([second])]
    broker.freeze()
    await Promise.all(
      posts.map(async (one, i) => {
        const load = one.drive(streams({ workers: 8, from: 1 + i * 1_000 }))
        await after(size === 'long' ? 3_000 : 200, one, load)
        one.halt()
        await load
      }),
    )
    for (const bridge of bridges) await bridge.kill('SIGKILL')
    const again = await first.start()
    const waiting = (await again.metric('livechat_journal_orphan_records')) ?? 0
    const readiness = await again.readiness()
    broker.thaw()
    const drained = await here.drained(again)
    await again.kill('SIGTERM')
    const verdict = await here.verdict(posts.flatMap(({ history }) => history))
    await here.stop()
    return findingsOf(verdict, {
      injected: 3,
      failures: [
        ...unless(waiting > 0, 'the records in the journal without a process are not reported'),
        ...unless(readiness.includes('without a process'), 'readiness does not speak of the journal without a process'),
        ...unless(drained, 'the journals were not drained'),
      ],
      notes: [`${waiting} of the events in the journal of the bridge that was not started again`],
    })
  },
}
