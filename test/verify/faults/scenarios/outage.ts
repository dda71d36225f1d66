import { findingsOf, unless } from '../findings.ts'
import { observedWorld } from '../observed-world.ts'
import { after, wait } from '../progress.ts'
import type { Scenario } from '../scenario.ts'
import { streams } from '../streams.ts'

/** The broker freezes, then dies, while events arrive; the bridge is killed midway. */
export const outage: Scenario = {
  name: 'outage',
  promises: '2, 4, 5',
  fault: 'broker SIGSTOP, then SIGKILL, for as long as the events take; bridge SIGKILL midway',
  controls: ['the journal', 'what waits in the journal goes first'],
  inShort: true,
  shortControls: [],
  run: async (cluster, size, without) => {
    const { broker } = cluster
    const here = await observedWorld(cluster, without)
    const place = await here.place(['ingress'])
    let bridge = await place.start()
    await here.ready(bridge)
    const posts = here.recorder([place])
    // More than the drain sends at a time: what is sent past the journal then overtakes the rest of it.
    const part = size === 'long' ? 5_000 : 800
    const load = posts.drive(streams({ workers: 16, chats: 2 }), { pauseMs: size === 'long' ? 0 : 10 })
    await after(part, posts, load)

    broker.freeze()
    const acceptedBefore = posts.accepted()
    const sentBefore = posts.sent()
    await after(part, posts, load)
    await bridge.kill('SIGKILL')
    bridge = await place.start()
    await after(part, posts, load)
    broker.kill()
    await after(part, posts, load)
    const accepted = posts.accepted() - acceptedBefore
    const sent = posts.sent() - sentBefore
    const depth = (await bridge.metric('livechat_journal_records')) ?? 0
    // The drain begins at once and takes some time: events that arrive during the drain must stay behind it.
    await broker.restart()
    await after(part, posts, load)
    await wait(500)
    posts.halt()
    await load
    const drained = await here.drained(bridge)
    const verdict = await here.verdict(posts.history)
    await here.stop()
    return findingsOf(verdict, {
      injected: 3,
      failures: [
        ...unless(accepted > sent / 2, `of ${sent} events only ${accepted} were accepted while the broker was away`),
        ...unless(drained, 'the journal was not drained'),
      ],
      notes: [`${accepted} of ${sent} accepted without the broker, journal at ${depth} records`],
    })
  },
}
